using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;

namespace Broker.AspNetCore;

/// <summary>
/// Limits the connections of a host: each connection needs a place. If no place is free, the connection that has been
/// idle longest is closed for the new connection. A connection is idle while none of its requests runs: also before its
/// first request, and while it sends a request's headers. Thread-safe.
/// </summary>
/// <param name="most">The number of places.</param>
/// <param name="probePath">
/// The path of health probes, or null. With a path, there are <see cref="ProbePlaces"/> additional places. A connection
/// gets an additional place if requests run in all other places, and it can then read only this path.
/// </param>
/// <param name="requestsCountApart">
/// Whether a connection gives its place back while its request runs, because the handler of the request counts it.
/// </param>
internal sealed class HttpPlaces(int most, string? probePath = null, bool requestsCountApart = false)
{
    /// <summary>The number of additional places for health probes.</summary>
    internal const int ProbePlaces = 8;

    private readonly Lock _gate = new();
    private readonly Pool _ordinary = new(most);
    private readonly Pool _probes = new(probePath is null ? 0 : ProbePlaces);

    // A stream lasts as long as its page is open, so streams take no places from requests.
    private readonly Pool _streams = new(most);

    /// <summary>Serves a connection if it gets a place. Otherwise closes the connection.</summary>
    internal async Task ServeAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        var place = new Place(this, connection);
        ConnectionContext? evicted;
        bool enters;
        lock (_gate)
        {
            enters = _ordinary.TryEnter(place, out evicted) || _probes.TryEnter(place, out evicted);
        }

        evicted?.Abort();
        if (!enters)
        {
            connection.Abort();
            return;
        }

        // RunAsync finds the place among the features of a request, which include the features of its connection.
        connection.Features.Set(place);
        try
        {
            await next(connection).ConfigureAwait(false);
        }
        finally
        {
            lock (_gate)
            {
                place.Pool?.Leave(place);
            }
        }
    }

    /// <summary>
    /// Runs a request. In a place for probes, a request that is not a probe is answered with status 503.
    /// </summary>
    internal Task RunAsync(HttpContext context, RequestDelegate next)
    {
        if (context.Features.Get<Place>() is not { } place)
        {
            return next(context);
        }

        bool isForProbes;
        lock (_gate)
        {
            isForProbes = place.Pool == _probes;
            Begin(place);
        }

        // When this callback runs, the response has been passed to the connection.
        context.Response.OnCompleted(() => EndAsync(place));
        if (!isForProbes)
        {
            return next(context);
        }

        context.Response.Headers.Connection = "close";
        if (context.Request.Path == probePath)
        {
            return next(context);
        }

        context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        context.Response.ContentType = "text/plain; charset=utf-8";
        return context.Response.WriteAsync("requests run on all connections (http_max_connections)", context.RequestAborted);
    }

    private void Begin(Place place)
    {
        if (requestsCountApart)
        {
            place.Pool?.Leave(place);
        }
        else
        {
            place.Pool?.Begin(place);
        }
    }

    private Task EndAsync(Place place)
    {
        ConnectionContext? evicted = null;
        lock (_gate)
        {
            if (requestsCountApart)
            {
                _ordinary.TryEnter(place, out evicted);
            }
            else
            {
                place.Pool?.End(place);
            }
        }

        evicted?.Abort();
        return Task.CompletedTask;
    }

    private void CountAsStream(Place place)
    {
        lock (_gate)
        {
            place.Pool?.Leave(place);
            _streams.TryEnter(place, out _);
            place.Pool?.Begin(place);
        }
    }

    /// <summary>The place of one connection. <c>_gate</c> protects its state.</summary>
    internal sealed class Place
    {
        private readonly HttpPlaces _places;

        internal Place(HttpPlaces places, ConnectionContext connection)
        {
            _places = places;
            Connection = connection;
            Node = new LinkedListNode<Place>(this);
        }

        internal ConnectionContext Connection { get; }

        internal LinkedListNode<Place> Node { get; }

        /// <summary>The pool that contains the place, or null if the connection has no place or was evicted.</summary>
        internal Pool? Pool { get; set; }

        /// <summary>
        /// Gives the place back to other requests while the connection's request runs. Streams have as many places as
        /// ordinary connections.
        /// </summary>
        internal void CountAsStream() => _places.CountAsStream(this);
    }

    internal sealed class Pool(int most)
    {
        // The connection that is idle longest is first.
        private readonly LinkedList<Place> _idle = [];
        private int _taken;

        internal bool TryEnter(Place place, out ConnectionContext? evicted)
        {
            evicted = null;
            if (_taken >= most)
            {
                if (_idle.First is not { Value: var longest })
                {
                    return false;
                }

                evicted = longest.Connection;
                Leave(longest);
            }

            _taken++;
            place.Pool = this;
            _idle.AddLast(place.Node);
            return true;
        }

        internal void Leave(Place place)
        {
            _taken--;
            place.Pool = null;
            Begin(place);
        }

        internal void Begin(Place place)
        {
            if (place.Node.List is not null)
            {
                _idle.Remove(place.Node);
            }
        }

        internal void End(Place place)
        {
            if (place.Node.List is null)
            {
                _idle.AddLast(place.Node);
            }
        }
    }
}
