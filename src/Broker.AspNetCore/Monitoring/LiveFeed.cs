using Broker.Server;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Broker.AspNetCore;

/// <summary>
/// The stream of snapshots that the live page shows: server-sent events, one each second, or one in five seconds while
/// nothing happens. Pages with the same parameters share a snapshot, so many open pages cost little more than one.
/// Without an open page, nothing is computed. Thread-safe.
/// </summary>
internal sealed class LiveFeed(BrokerServer server, MonitoringOptions options)
{
    /// <summary>The path of the stream.</summary>
    internal const string Path = "/live";

    /// <summary>The largest number of connections in a snapshot.</summary>
    internal const int MaxConnections = 100;

    // While nothing happens, a page gets a snapshot each time after this number of intervals. An idle server with a
    // hundred open pages sends a fifth of the events then.
    private const int IdleIntervals = 5;

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly Dictionary<ConnectionQuery, Task<LiveSnapshot>> _snapshots = [];
    private long _second;
    private int _open;

    /// <summary>The number of snapshots that were computed.</summary>
    internal long Computed { get; private set; }

    /// <summary>
    /// Serves one page. There are at most <see cref="MonitoringOptions.MaxConnections"/> streams. A slow page misses
    /// snapshots, because the next one is computed only when the last one has been sent.
    /// </summary>
    internal async Task ServeAsync(HttpContext context)
    {
        ConnectionQuery query = new QueryReader(context.Request.Query).ReadConnections() with
        {
            Offset = 0,
            Limit = MaxConnections,
            SubscribedTo = null,
            WithSubscriptions = false,
            WithSubscriptionDetails = false,
        };
        if (Interlocked.Increment(ref _open) > options.MaxConnections)
        {
            Interlocked.Decrement(ref _open);
            context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            context.Response.ContentType = "text/plain; charset=utf-8";
            await context.Response.WriteAsync("too many live pages are open (http_max_connections)", context.RequestAborted).ConfigureAwait(false);
            return;
        }

        try
        {
            context.Features.Get<HttpPlaces.Place>()?.CountAsStream();
            await SendAsync(context, query).ConfigureAwait(false);
        }
        finally
        {
            Interlocked.Decrement(ref _open);
        }
    }

    private async Task SendAsync(HttpContext context, ConnectionQuery query)
    {
        context.Response.ContentType = "text/event-stream";
        context.Response.Headers.Connection = "close";
        // A proxy such as nginx passes the events on at once.
        context.Response.Headers["X-Accel-Buffering"] = "no";
        if (HttpMethods.IsHead(context.Request.Method))
        {
            return;
        }

        context.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        CancellationToken stopping = context.RequestServices?.GetService<IHostApplicationLifetime>()?.ApplicationStopping ?? default;
        using var end = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, stopping);
        using var timer = new PeriodicTimer(Interval);
        try
        {
            int skipped = IdleIntervals;
            int activity = 0;
            do
            {
                LiveSnapshot snapshot = await SnapshotAsync(query).WaitAsync(end.Token).ConfigureAwait(false);
                if (snapshot.Activity == activity && ++skipped < IdleIntervals)
                {
                    continue;
                }

                (skipped, activity) = (0, snapshot.Activity);
                await context.Response.Body.WriteAsync(snapshot.Event, end.Token).ConfigureAwait(false);
                await context.Response.Body.FlushAsync(end.Token).ConfigureAwait(false);
            }
            while (await timer.WaitForNextTickAsync(end.Token).ConfigureAwait(false));
        }
        catch (OperationCanceledException) when (end.IsCancellationRequested)
        {
            // The page was closed, or the host stops.
        }
    }

    private Task<LiveSnapshot> SnapshotAsync(ConnectionQuery query)
    {
        lock (_gate)
        {
            long second = Environment.TickCount64 / (long)Interval.TotalMilliseconds;
            if (second != _second)
            {
                _second = second;
                _snapshots.Clear();
            }

            if (!_snapshots.TryGetValue(query, out Task<LiveSnapshot>? snapshot))
            {
                Computed++;
                _snapshots.Add(query, snapshot = ComputeAsync(query));
            }

            return snapshot;
        }
    }

    private async Task<LiveSnapshot> ComputeAsync(ConnectionQuery query)
    {
        // The gate is free again while the snapshot is computed.
        await Task.Yield();
        ConnectionPage connections = await server.InspectConnectionsAsync(query, CancellationToken.None).ConfigureAwait(false);
        if (query.States == ConnectionStates.Closed && connections.Total > connections.Connections.Count)
        {
            // The latest ones are last.
            connections = await server
                .InspectConnectionsAsync(query with { Offset = connections.Total - MaxConnections }, CancellationToken.None)
                .ConfigureAwait(false);
        }

        ServerDescription facts = server.Inspect();
        LiveStreams? streams = facts.Streams is { } problems ? await LiveStreams.ReadAsync(server, problems.Problems).ConfigureAwait(false) : null;
        return LiveSnapshot.Create(facts, connections, server.InspectAccounts(), server.InspectSubjects(), streams, options);
    }
}
