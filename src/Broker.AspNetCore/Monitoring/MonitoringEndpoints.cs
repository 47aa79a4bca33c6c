using Broker.AspNetCore;
using Broker.Server;
using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Adds the monitoring pages of a server to a web application.</summary>
public static class MonitoringEndpoints
{
    /// <summary>The path of the page for health probes.</summary>
    internal const string ProbePath = "/healthz";

    private static readonly string[] Methods = [HttpMethods.Get, HttpMethods.Head];

    /// <summary>
    /// Maps the monitoring pages below <see cref="MonitoringOptions.BasePath"/>, which is <c>/broker</c> by default.
    /// The pages <c>/ /healthz /varz /connz /subsz /accountz /accstatz</c> have nats-server's field names and
    /// parameters. <c>/</c> is a live page for browsers. <c>/metrics</c> is Prometheus text. <c>/routez /gatewayz</c>
    /// answer like a nats-server without routes and gateways, and <c>/leafz /jsz</c> like one that has leaf nodes and
    /// streams only if this server has them.
    /// </summary>
    /// <returns>A builder for all pages, to add conventions such as <c>RequireAuthorization()</c>.</returns>
    public static IEndpointConventionBuilder MapBrokerMonitoring(
        this IEndpointRouteBuilder endpoints, BrokerServer server, MonitoringOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(server);
        return endpoints.MapMonitoring(server, (options ?? new MonitoringOptions()).CopyFor(MonitoringOptions.ApplicationBasePath));
    }

    internal static RouteGroupBuilder MapMonitoring(this IEndpointRouteBuilder endpoints, BrokerServer server, MonitoringOptions options)
    {
        RouteGroupBuilder group = endpoints.MapGroup(options.BasePath!);
        options.Administrator?.Validate();
        if (options.Administrator is not null && endpoints.ServiceProvider.GetService<IAntiforgery>() is null)
        {
            throw new InvalidOperationException(
                $"An administrator needs services: call {nameof(AdministratorServices.AddBrokerAdministrator)} of the builder's Services.");
        }

        var pages = new MonitoringPages(server, options);
        server.DescribeHttp = pages.Describe;
        Map("/", pages.IndexAsync);
        Map(LiveFeed.Path, new LiveFeed(server, options).ServeAsync);
        Map(LiveFiles.ScriptPath, LiveFiles.ScriptAsync);
        Map(LiveFiles.RoutesScriptPath, LiveFiles.RoutesScriptAsync);
        Map(LiveFiles.StylePath, LiveFiles.StyleAsync);
        Map("/varz", pages.VarzAsync);
        Map("/connz", pages.ConnzAsync);
        Map("/subsz", pages.SubszAsync);
        Map("/subscriptionsz", pages.SubszAsync);
        Map("/subjectz", pages.SubjectzAsync);
        Map("/accountz", pages.AccountzAsync);
        Map("/accstatz", pages.AccstatzAsync);
        // Exporters request these pages too. The pages of a feature that the server does not have say so.
        Map("/routez", pages.RoutezAsync);
        Map("/leafz", pages.LeafzAsync);
        Map("/gatewayz", pages.GatewayzAsync);
        Map("/jsz", pages.JszAsync);
        Map("/metrics", pages.MetricsAsync);
        if (options.Log is { } log)
        {
            Map(LogPage.Path, new LogPage(log).ServeAsync);
        }

        foreach (MonitoringPage page in options.Pages)
        {
            Map(page.Path, context => MonitoringPages.WriteAsync(context, page));
        }

        if (options.Administrator is { } administrator)
        {
            var actions = new AdministratorPages(server, administrator);
            MapAdministrator(group, pages, actions);
            endpoints.ServiceProvider.GetService<IHostApplicationLifetime>()?.ApplicationStopped.Register(actions.Dispose);
        }

        group.MapMethods(ProbePath, Methods, pages.Counted(ProbePath, pages.HealthzAsync));
        return group;

        void Map(string path, RequestDelegate page) => group.MapMethods(path, Methods, pages.Guarded(path, page));
    }

    private static void MapAdministrator(RouteGroupBuilder group, MonitoringPages pages, AdministratorPages administrator)
    {
        group.MapMethods(AdministratorPages.Path, [HttpMethods.Get], pages.Guarded(AdministratorPages.Path, administrator.StateAsync));
        foreach ((string path, RequestDelegate handler) in administrator.Actions)
        {
            group.MapMethods(path, [HttpMethods.Post], pages.Guarded(path, handler));
        }
    }

    /// <summary>Maps the additional pages only, for a program without a server.</summary>
    internal static RouteGroupBuilder MapPages(this IEndpointRouteBuilder endpoints, MonitoringOptions options)
    {
        RouteGroupBuilder group = endpoints.MapGroup(options.BasePath!);
        foreach (MonitoringPage page in options.Pages)
        {
            group.MapMethods(page.Path, Methods, context => MonitoringPages.WriteAsync(context, page));
        }

        group.MapMethods("/metrics", Methods, context => MonitoringPages.WriteMetricsAsync(context, options.Pages));
        return group;
    }
}
