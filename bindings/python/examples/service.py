"""A web service whose requests are durable workflows: a text is written, and a person decides.

    pip install starlette uvicorn
    uvicorn service:app                      # in this folder; REVIEWS names the store

    curl -X POST localhost:8000/reviews -d '{"id": "r-1", "topic": "bees"}'
    curl localhost:8000/reviews/r-1
    curl -N localhost:8000/reviews/r-1/events
    curl -X POST localhost:8000/reviews/r-1/vote -d '{"by": "ada", "digest": "…", "approve": true}'

The digest is that of the answer to GET: who votes says what was seen. The service trusts `by`; a real one takes it
from the session of the person. Kill the service whenever you like and start it again.
"""
import asyncio
import contextlib
import json
import os

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

import wfsm

REVIEW = wfsm.Machine.load({
    "id": "review", "initial": "writing", "context": {"topic": "", "text": None},
    "states": {
        "writing": {"invoke": {
            "src": "writer", "input": {"topic": {"var": "context.topic"}},
            "onDone": {"target": "asked", "actions": {
                "type": "assign", "params": {"text": {"var": "event.data"}}}},
            "onError": "failed"}},
        "asked": {"invoke": {
            "src": "person", "input": {"text": {"var": "context.text"}},
            "onDone": [{"guard": {"var": "event.data.approved"}, "target": "published"},
                       {"target": "writing"}]}},
        "published": {"type": "final"},
        "failed": {"type": "final"}}})


def add_agents(engine):
    @engine.agent
    async def writer(work):
        await asyncio.sleep(0.01)  # a model answers
        return f"a text about {work.input['topic']}"


@contextlib.asynccontextmanager
async def lifespan(app):
    """One engine for the process, driven by the server's event loop."""
    with wfsm.sqlite(os.environ.get("REVIEWS", "reviews.db")) as store:
        for head in store.list(status=wfsm.InstanceStatus.RUNNING):
            if wfsm.owner_is_dead(head.owner):
                store.remove_owner(head.owner)
        async with wfsm.engine(store, [REVIEW]) as engine:
            add_agents(engine)
            engine.adopt_all()
            app.state.store, app.state.engine = store, engine
            yield


def found(request):
    """The instance that the address names."""
    try:
        return request.app.state.engine.instance(request.path_params["id"])
    except wfsm.NotFound as problem:
        raise HTTPException(404, str(problem)) from None


async def start(request):
    given = await request.json()
    engine = request.app.state.engine
    try:
        await engine.astart("review", given["id"], {"topic": given["topic"]})
    except wfsm.AlreadyExists as problem:
        raise HTTPException(409, str(problem)) from None
    return JSONResponse({"id": given["id"]}, status_code=202)


async def show(request):
    review = found(request)
    questions = [{"invocation": one["id"], "digest": one["digest"], "text": one["input"]["text"]}
                 for one in review.invocations if one["src"] == "person"]
    return JSONResponse({"state": review.configuration, "text": review.context["text"],
                         "questions": questions})


async def vote(request):
    given, review = await request.json(), found(request)
    for one in review.invocations:
        if one["src"] == "person":
            await asyncio.to_thread(
                request.app.state.store.approve, review.id, one["id"], by=given["by"],
                digest=given["digest"], approve=given["approve"])
            return JSONResponse({"voted": one["id"]}, status_code=202)
    raise HTTPException(409, "nobody is asked")


async def tail(request):
    task = found(request)
    after = int(request.headers.get("last-event-id", 0))

    async def lines():
        async with task.stream(after=after) as events:
            async for event in events:
                data = event.data if event.kind == "token" else event.revision
                yield f"id: {event.revision}\nevent: {event.kind}\ndata: {json.dumps(data)}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")


app = Starlette(lifespan=lifespan, routes=[
    Route("/reviews", start, methods=["POST"]),
    Route("/reviews/{id}", show),
    Route("/reviews/{id}/events", tail),
    Route("/reviews/{id}/vote", vote, methods=["POST"])])
