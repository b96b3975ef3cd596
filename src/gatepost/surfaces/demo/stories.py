"""The stories that there are, in the order in which they are told."""

from typing import Final

from gatepost.surfaces.demo import double_charge, rate_limits, search
from gatepost.surfaces.demo.script import Story

STORIES: Final[tuple[Story, ...]] = (rate_limits.STORY, double_charge.STORY, search.STORY)
