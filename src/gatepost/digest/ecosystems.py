"""Families of tools: the languages and files that belong to each, and the frameworks known in it.

The lists are ours. What a project asks for is compared with them and never quoted.
"""

import re
from typing import Final

from gatepost.digest.project import Project, strings, table
from gatepost.digest.tables import pairs

_LANGUAGES: Final = (
    "python=Python, node=TypeScript JavaScript Vue Svelte, rust=Rust, go=Go, jvm=Java Kotlin Scala, ruby=Ruby,"
    " php=PHP, elixir=Elixir, dotnet=C# F#, c=C C++, swift=Swift, dart=Dart, terraform=Terraform"
)
_FILES: Final = (
    "python=pyproject.toml setup.py setup.cfg manage.py tox.ini noxfile.py pytest.ini requirements.txt,"
    " node=package.json deno.json deno.jsonc tsconfig.json, rust=Cargo.toml, go=go.mod,"
    " jvm=pom.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts build.sbt,"
    " ruby=Gemfile Rakefile .rspec .rubocop.yml .gemspec config.ru, elixir=mix.exs .credo.exs,"
    " php=composer.json phpunit.xml phpunit.xml.dist artisan, dotnet=.sln .slnx .csproj .fsproj,"
    " c=CMakeLists.txt meson.build configure.ac, swift=Package.swift, dart=pubspec.yaml, terraform=.tf .tflint.hcl"
)
_BY_LANGUAGE: Final = {name: family for family, names in pairs(_LANGUAGES) for name in names.split()}
_BY_FILE: Final = {name: family for family, names in pairs(_FILES) for name in names.split()}
_MOST: Final = 4
_KNOWN: Final = {
    "python": "django=Django, flask=Flask, fastapi=FastAPI, starlette=Starlette, aiohttp=aiohttp, tornado=Tornado,"
    " celery=Celery, sqlalchemy=SQLAlchemy, sqlmodel=SQLModel, pydantic=Pydantic, typer=Typer, click=Click,"
    " torch=PyTorch, tensorflow=TensorFlow, numpy=NumPy, pandas=pandas",
    "node": "next=Next.js, nuxt=Nuxt, react=React, vue=Vue, svelte=Svelte, @angular/core=Angular, astro=Astro,"
    " @nestjs/core=NestJS, express=Express, fastify=Fastify, electron=Electron, react-native=React Native,"
    " vite=Vite",
    "rust": "axum=Axum, actix-web=Actix, rocket=Rocket, bevy=Bevy, tauri=Tauri, tokio=Tokio, clap=clap,"
    " serde=Serde",
    "go": "github.com/gin-gonic/gin=Gin, github.com/labstack/echo=Echo, github.com/gofiber/fiber=Fiber,"
    " github.com/spf13/cobra=Cobra, google.golang.org/grpc=gRPC, k8s.io/client-go=Kubernetes",
    "jvm": "org.springframework.boot=Spring Boot, spring-boot=Spring Boot, io.quarkus=Quarkus,"
    " io.micronaut=Micronaut, io.ktor=Ktor, com.android=Android",
    "ruby": "rails=Rails, sinatra=Sinatra, hanami=Hanami, sidekiq=Sidekiq",
    "php": "laravel/framework=Laravel, symfony/framework-bundle=Symfony, slim/slim=Slim",
    "elixir": "phoenix=Phoenix, ecto_sql=Ecto, phoenix_live_view=LiveView, nerves=Nerves",
    "dotnet": "Microsoft.NET.Sdk.Web=ASP.NET Core, Microsoft.EntityFrameworkCore=EF Core",
    "dart": "flutter=Flutter",
}
_requirement = re.compile(r"^\s*([A-Za-z0-9][\w.-]*)")
_TEXTS: Final = {
    "go": ("go.mod",),
    "jvm": ("pom.xml", "build.gradle", "build.gradle.kts"),
    "ruby": ("Gemfile",),
    "elixir": ("mix.exs",),
    "dart": ("pubspec.yaml",),
}


def of_language(language: str) -> str:
    """The family of a language; empty for one that we know none of."""
    return _BY_LANGUAGE.get(language, "")


def of_file(path: str) -> str:
    """The family of a file, by its name or its ending; empty for one that any project may have."""
    name = path.rpartition("/")[2]
    return _BY_FILE.get(name) or _BY_FILE.get(name[name.rfind(".") :], "")


def frameworks(project: Project, ecosystem: str) -> tuple[str, ...]:
    """The labels of the frameworks that the root's manifest of this ecosystem asks for, a few."""
    names = _asked_for(project, ecosystem)
    text = "\n".join(project.text(file) for file in _files(project, ecosystem))
    text = re.sub(r"(?m)^module .*$", "", text)  # a framework's own name
    known = pairs(_KNOWN.get(ecosystem, ""))
    found = [label for name, label in known if name in names or _mentions(text, name)]
    return tuple(dict.fromkeys(found))[:_MOST]


def _asked_for(project: Project, ecosystem: str) -> set[str]:
    """Dependencies by name, from manifests that are tables."""
    match ecosystem:
        case "python":
            return _python(project)
        case "node":
            manifest = project.json("package.json")
            return {*table(manifest, "dependencies"), *table(manifest, "devDependencies")}
        case "rust":
            manifest = project.toml("Cargo.toml")
            return {*table(manifest, "dependencies"), *table(manifest, "workspace", "dependencies")}
        case "php":
            return {*table(project.json("composer.json"), "require")}
    return set()


def _python(project: Project) -> set[str]:
    manifest = project.toml("pyproject.toml")
    lines = strings(table(manifest, "project"), "dependencies")
    if not (project.has("setup.py") or table(manifest, "project")):  # beside these it may list what tests need
        lines = project.text("requirements.txt").split("\n")
    named = {match[1].lower().replace("_", "-") for line in lines if (match := _requirement.match(line))}
    return named | {name.lower() for name in table(manifest, "tool", "poetry", "dependencies")}


def _files(project: Project, ecosystem: str) -> tuple[str, ...]:
    if ecosystem != "dotnet":
        return _TEXTS.get(ecosystem, ())
    paths = [path for path in project.tree.files if path.endswith((".csproj", ".fsproj"))]
    return tuple(paths[:4])


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w])", text) is not None
