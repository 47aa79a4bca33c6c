using Broker.Server;
using Microsoft.AspNetCore.Http;

namespace Broker.AspNetCore;

/// <summary>The request handlers of the monitoring pages.</summary>
internal sealed class MonitoringPages(BrokerServer server, MonitoringOptions options)
{
    private readonly RequestCounts _requests = new();

    /// <summary>Adds a counter of requests to a handler.</summary>
    internal RequestDelegate Counted(string path, RequestDelegate page)
    {
        _requests.Know(path);
        return context =>
        {
            _requests.Count(path);
            // The pages show names that clients chose. The headers prevent a browser from running such a name as a
            // script.
            context.Response.Headers.XContentTypeOptions = "nosniff";
            context.Response.Headers.CacheControl = "no-store";
            return AnswerAsync(context, page);
        };
    }

    /// <summary>Adds a counter of requests and the access check to a handler.</summary>
    internal RequestDelegate Guarded(string path, RequestDelegate page)
        => Counted(path, options.Authorize is not { } authorize ? page : context =>
        {
            if (authorize(context))
            {
                return page(context);
            }

            context.Response.StatusCode = StatusCodes.Status401Unauthorized;
            context.Response.Headers.WWWAuthenticate = "Basic realm=\"broker\"";
            return Task.CompletedTask;
        });

    internal Task IndexAsync(HttpContext context)
    {
        string path = context.Request.Path.Value ?? "";
        if (!path.EndsWith('/'))
        {
            // The page's links are relative to its folder. A relative redirect also works behind a proxy with a prefix.
            context.Response.StatusCode = StatusCodes.Status308PermanentRedirect;
            context.Response.Headers.Location = path[(path.LastIndexOf('/') + 1)..] + "/";
            return Task.CompletedTask;
        }

        ServerDescription facts = server.Inspect();
        context.Response.ContentType = "text/html; charset=utf-8";
        context.Response.Headers.ContentSecurityPolicy =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
        return context.Response.WriteAsync(IndexPage.Write(facts, options), context.RequestAborted);
    }

    internal Task HealthzAsync(HttpContext context)
    {
        ServerDescription facts = server.Inspect();
        var query = new QueryReader(context.Request.Query);
        bool withStreams = !(query.Flag("js-enabled-only") | query.Flag("js-enabled") | query.Flag("js-server-only"));
        bool isHealthy = !facts.IsShuttingDown && !(withStreams && facts.Streams is { Problems.Count: > 0 });
        context.Response.StatusCode = isHealthy ? StatusCodes.Status200OK : StatusCodes.Status503ServiceUnavailable;
        return MonitoringJson.WriteHealthzAsync(JsonBody(context), facts, withStreams, context.RequestAborted);
    }

    internal Task VarzAsync(HttpContext context)
        => MonitoringJson.WriteVarzAsync(
            JsonBody(context), server.Inspect() with { Http = Describe() }, context.RequestAborted);

    internal async Task ConnzAsync(HttpContext context)
    {
        var query = new QueryReader(context.Request.Query);
        ConnectionQuery asked = query.ReadConnections();
        ConnectionPage page = await server.InspectConnectionsAsync(asked, context.RequestAborted).ConfigureAwait(false);
        if (query.Text("mqtt_client") is not null)
        {
            // There are no MQTT clients, so no client matches an MQTT id. As in nats-server, the total counts all
            // clients.
            page = page with { Connections = [] };
        }

        await MonitoringJson
            .WriteConnzAsync(JsonBody(context), server.Inspect(), asked, page, context.RequestAborted)
            .ConfigureAwait(false);
    }

    internal async Task SubszAsync(HttpContext context)
    {
        var query = new QueryReader(context.Request.Query);
        SubscriptionQuery asked = query.ReadSubscriptions();
        SubscriptionPage? page = query.Flag("subs")
            ? await server.InspectSubscriptionsAsync(asked, context.RequestAborted).ConfigureAwait(false)
            : null;
        await MonitoringJson
            .WriteSubszAsync(JsonBody(context), server.Inspect(), page, cancellationToken: context.RequestAborted)
            .ConfigureAwait(false);
    }

    internal Task SubjectzAsync(HttpContext context)
        => MonitoringJson.WriteSubjectzAsync(JsonBody(context), server.Inspect(), server.InspectSubjects(), context.RequestAborted);

    internal Task AccountzAsync(HttpContext context)
    {
        string? name = new QueryReader(context.Request.Query).Text("acc");
        IReadOnlyList<AccountDescription> accounts = server.InspectAccounts();
        AccountDescription? one = accounts.FirstOrDefault(a => string.Equals(a.Name, name, StringComparison.Ordinal));
        if (name is not null && one is null)
        {
            throw new QueryException($"Account {name} does not exist");
        }

        return MonitoringJson.WriteAccountzAsync(JsonBody(context), server.Inspect(), accounts, one, context.RequestAborted);
    }

    internal Task AccstatzAsync(HttpContext context)
    {
        bool withUnused = new QueryReader(context.Request.Query).Flag("unused");
        return MonitoringJson.WriteAccstatzAsync(
            JsonBody(context), server.Inspect(), server.InspectAccounts(), withUnused, context.RequestAborted);
    }

    internal Task RoutezAsync(HttpContext context)
        => MonitoringJson.WriteRoutezAsync(JsonBody(context), server.Inspect(), context.RequestAborted);

    internal Task LeafzAsync(HttpContext context)
    {
        var query = new QueryReader(context.Request.Query);
        return MonitoringJson.WriteLeafzAsync(JsonBody(context), server.Inspect(), query.Text("acc"), query.Flag("subs"), context.RequestAborted);
    }

    internal Task GatewayzAsync(HttpContext context)
        => MonitoringJson.WriteGatewayzAsync(JsonBody(context), server.Inspect(), context.RequestAborted);

    internal async Task JszAsync(HttpContext context)
    {
        var query = new QueryReader(context.Request.Query);
        StreamsQuery? asked = query.ReadStreams(out int offset, out int limit);
        IReadOnlyList<AccountStreamsDescription> accounts = await server.InspectStreamsAsync(asked, context.RequestAborted).ConfigureAwait(false);
        await MonitoringJson
            .WriteJszAsync(JsonBody(context), server.Inspect(), accounts, asked, offset, limit, context.RequestAborted)
            .ConfigureAwait(false);
    }

    /// <summary>Describes the address of these pages.</summary>
    internal HttpDescription Describe() => new()
    {
        EndPoint = options.EndPoint,
        BasePath = options.BasePath ?? "",
        IsSecure = options.IsSecure,
        MaxConnections = options.MaxConnections,
        Requests = _requests.ToDictionary(),
        WebSockets = options.WebSockets?.Describe(),
    };

    internal async Task MetricsAsync(HttpContext context)
    {
        context.Response.ContentType = PrometheusText.ContentType;
        await context.Response.WriteAsync(PrometheusText.Write(server.Inspect()), context.RequestAborted).ConfigureAwait(false);
        await WriteMetricsAsync(context, options.Pages).ConfigureAwait(false);
    }

    /// <summary>Serves an additional page.</summary>
    internal static Task WriteAsync(HttpContext context, MonitoringPage page)
    {
        context.Response.Headers.XContentTypeOptions = "nosniff";
        context.Response.Headers.CacheControl = "no-store";
        context.Response.ContentType = "application/json";
        return context.Response.WriteAsync(page.WriteJson(), context.RequestAborted);
    }

    /// <summary>Writes the metrics of the additional pages.</summary>
    internal static async Task WriteMetricsAsync(HttpContext context, IReadOnlyList<MonitoringPage> pages)
    {
        context.Response.ContentType ??= PrometheusText.ContentType;
        foreach (MonitoringPage page in pages)
        {
            if (page.WriteMetrics is { } write)
            {
                await context.Response.WriteAsync(write(), context.RequestAborted).ConfigureAwait(false);
            }
        }
    }

    // The answer to a wrong parameter is one line of text, as in nats-server.
    private static async Task AnswerAsync(HttpContext context, RequestDelegate page)
    {
        try
        {
            await page(context).ConfigureAwait(false);
        }
        catch (QueryException e)
        {
            context.Response.StatusCode = StatusCodes.Status400BadRequest;
            context.Response.ContentType = "text/plain; charset=utf-8";
            await context.Response.WriteAsync(e.Message, context.RequestAborted).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // The client has disconnected.
        }
    }

    private static Stream JsonBody(HttpContext context)
    {
        context.Response.ContentType = "application/json";
        return context.Response.Body;
    }
}
