using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.AspNetCore.Tests.Browser;

/// <summary>A web site with one page. The page sends its result to <c>/report</c>.</summary>
internal sealed class PageSite : IAsyncDisposable
{
    private readonly WebApplication _application;
    private readonly TaskCompletionSource<string> _report = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private PageSite(Func<string> page)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(k => k.Listen(IPAddress.Loopback, 0));
        _application = builder.Build();
        _application.Run(async context =>
        {
            if (context.Request.Path == "/report")
            {
                using var reader = new StreamReader(context.Request.Body);
                _report.TrySetResult(await reader.ReadToEndAsync(context.RequestAborted));
                return;
            }

            context.Response.ContentType = "text/html; charset=utf-8";
            await context.Response.WriteAsync(page(), context.RequestAborted);
        });
    }

    /// <summary>The origin of the page, as a browser sends it.</summary>
    internal string Origin => _application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single();

    internal Task<string> Report => _report.Task;

    internal static async Task<PageSite> StartAsync(Func<string> page)
    {
        var site = new PageSite(page);
        await site._application.StartAsync(TestContext.Current.CancellationToken);
        return site;
    }

    public ValueTask DisposeAsync() => _application.DisposeAsync();
}
