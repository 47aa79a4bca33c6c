using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.AspNetCore.Tests.Harness;

/// <summary>A reverse proxy that serves another site below a path. It removes the path and passes the Host header on.</summary>
internal sealed class PrefixProxy : IAsyncDisposable
{
    private static readonly string[] OwnHeaders = ["Connection", "Transfer-Encoding", "Keep-Alive", "Content-Length"];

    private readonly WebApplication _application;
    private readonly HttpClient _http = new(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false }) { Timeout = Timeout.InfiniteTimeSpan };

    private PrefixProxy(string prefix, Uri target)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(static k => k.Listen(IPAddress.Loopback, 0));
        _application = builder.Build();
        _application.Run(context =>
        {
            if (context.Request.Path.StartsWithSegments(prefix, out PathString rest))
            {
                return ForwardAsync(context, new Uri(target, rest.Value + context.Request.QueryString));
            }

            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return Task.CompletedTask;
        });
    }

    internal string Origin => _application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single();

    internal static async Task<PrefixProxy> StartAsync(string prefix, Uri target)
    {
        var proxy = new PrefixProxy(prefix, target);
        await proxy._application.StartAsync(TestContext.Current.CancellationToken);
        return proxy;
    }

    public async ValueTask DisposeAsync()
    {
        await _application.DisposeAsync();
        _http.Dispose();
    }

    private async Task ForwardAsync(HttpContext context, Uri target)
    {
        using var request = new HttpRequestMessage(new HttpMethod(context.Request.Method), target);
        if (context.Request.ContentLength is not null)
        {
            request.Content = new StreamContent(context.Request.Body);
            request.Content.Headers.TryAddWithoutValidation("Content-Type", context.Request.ContentType);
        }

        foreach ((string name, Microsoft.Extensions.Primitives.StringValues values) in context.Request.Headers)
        {
            if (!OwnHeaders.Contains(name, StringComparer.OrdinalIgnoreCase))
            {
                request.Headers.TryAddWithoutValidation(name, (IEnumerable<string>)values!);
            }
        }

        try
        {
            using HttpResponseMessage answer = await _http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, context.RequestAborted);
            context.Response.StatusCode = (int)answer.StatusCode;
            foreach ((string name, IEnumerable<string> values) in answer.Headers.Concat(answer.Content.Headers))
            {
                if (!OwnHeaders.Contains(name, StringComparer.OrdinalIgnoreCase))
                {
                    context.Response.Headers[name] = values.ToArray();
                }
            }

            await using Stream body = await answer.Content.ReadAsStreamAsync(context.RequestAborted);
            byte[] buffer = new byte[16 * 1024];
            while (await body.ReadAsync(buffer, context.RequestAborted) is > 0 and var read)
            {
                await context.Response.Body.WriteAsync(buffer.AsMemory(0, read), context.RequestAborted);
                await context.Response.Body.FlushAsync(context.RequestAborted);
            }
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // The browser has closed the stream.
        }
    }
}
