using System.Collections.Concurrent;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.Hosting.Tests.Telemetry;

/// <summary>A minimal collector. It receives OTLP over HTTP and stores the data that tests check.</summary>
internal sealed class OtlpCollector : IAsyncDisposable
{
    private readonly WebApplication _application;

    private OtlpCollector()
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(static k => k.Listen(IPAddress.Loopback, 0));
        _application = builder.Build();
        _application.Run(async context =>
        {
            using var body = new MemoryStream();
            await context.Request.Body.CopyToAsync(body, context.RequestAborted);
            Take(context.Request.Path.Value ?? "", body.ToArray());
            // An empty response means that all data was accepted.
            context.Response.ContentType = "application/x-protobuf";
        });
    }

    public Uri Address => new(_application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single());

    public ConcurrentQueue<OtlpSpan> Spans { get; } = [];

    /// <summary>The names of received instruments, once for each time.</summary>
    public ConcurrentQueue<string> Metrics { get; } = [];

    public static async Task<OtlpCollector> StartAsync()
    {
        var collector = new OtlpCollector();
        await collector._application.StartAsync(TestContext.Current.CancellationToken);
        return collector;
    }

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    // Both requests have the same structure: resources contain scopes, and scopes contain the data.
    private void Take(string path, byte[] request)
    {
        IEnumerable<ReadOnlyMemory<byte>> items = ProtobufFields.Of(request, 1).SelectMany(static r => ProtobufFields.Of(r, 2)).SelectMany(static s => ProtobufFields.Of(s, 2));
        foreach (ReadOnlyMemory<byte> item in items)
        {
            if (path == "/v1/traces")
            {
                Spans.Enqueue(new OtlpSpan(
                    ProtobufFields.Text(item, 5), ProtobufFields.Hex(item, 1), ProtobufFields.Hex(item, 2), ProtobufFields.Hex(item, 4)));
            }
            else if (path == "/v1/metrics")
            {
                Metrics.Enqueue(ProtobufFields.Text(item, 1));
            }
        }
    }
}

/// <summary>An exported span. Ids are hexadecimal; a missing parent is an empty text.</summary>
internal sealed record OtlpSpan(string Name, string Trace, string Id, string Parent);
