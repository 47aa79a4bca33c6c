using System.Text;
using System.Text.RegularExpressions;
using Broker.Client;

namespace Broker.Hosting.Tests.Telemetry;

/// <summary>Runs samples/Telemetry with a collector for its exported data.</summary>
public sealed partial class OpenTelemetrySampleTests
{
    private const string Trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    private const string Order = "00f067aa0ba902b7";

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_trace_goes_through_the_sample_and_it_exports_its_part_and_the_meters()
    {
        await using OtlpCollector collector = await OtlpCollector.StartAsync();
        int port = FreePort.Next();
        await using var sample = PeerProcess.Start(
            "sample", "/usr/bin/env",
            // The stop exports the remaining data. The intervals only matter if the stop hangs.
            $"OTEL_EXPORTER_OTLP_ENDPOINT={collector.Address}", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", "OTEL_METRIC_EXPORT_INTERVAL=500",
            "dotnet", Repository.Sample("Telemetry"),
            $"--Broker:Listen:0=127.0.0.1:{port}", "--BrokerClient:ConnectTimeout=00:02:00",
            "--ZeroMqBridge:Routes:events:Publishers=tcp://127.0.0.1:*", "--ZeroMqBridge:Routes:events:Subscribers=tcp://127.0.0.1:*");
        await using BrokerConnection client = await BrokerConnection.ConnectAsync(
            TestHost.Patient($"nats://127.0.0.1:{port}") with { FirstConnect = FirstConnect.Background, MaxReconnectAttempts = -1 }, Cancellation);
        await Wait.UntilAsync(() => client.State == ConnectionState.Connected, () => sample.Errors);
        TaskCompletionSource<(string Text, string? Parent)> accepted = Wait.Source<(string Text, string? Parent)>();
        client.Subscribe("orders.accepted", (in message) => accepted.TrySetResult((Encoding.UTF8.GetString(message.Body), new MessageHeaders(message.Headers)["traceparent"])));
        await client.PingAsync(Cancellation);

        // The desk subscribes when its host has started. Before that there is no subscriber for orders.
        await Wait.UntilAsync(
            () => accepted.Task.IsCompleted,
            () => "no order was accepted: " + sample.Errors,
            () => client.Publish("orders.new", "two chairs"u8, headers: new MessageHeaders { ["traceparent"] = $"00-{Trace}-{Order}-01" }));

        (string text, string? parent) = await accepted.Task;
        Assert.Equal("two chairs", text);
        string published = TraceParent().Match(parent ?? "").Groups[1].Value;
        await sample.SignalAsync("TERM");
        Assert.True(await sample.WaitForExitAsync() == 0, sample.Errors);
        OtlpSpan[] spans = [.. collector.Spans];
        OtlpSpan publish = Assert.Single(spans, s => s.Id == published);
        Assert.Equal(("publish orders.accepted", Trace), (publish.Name, publish.Trace));
        OtlpSpan process = Assert.Single(spans, s => s.Id == publish.Parent);
        Assert.Equal(("process orders.new", Trace, Order), (process.Name, process.Trace, process.Parent));
        // One instrument of each meter. MetricsTests check all instruments.
        Assert.Superset(
            new HashSet<string> { "broker.messages.received", "messaging.client.sent.messages", "broker.bridge.peers" }, collector.Metrics.ToHashSet());
    }

    [Fact]
    public async Task A_missing_collector_is_told()
    {
        await using var sample = PeerProcess.Start(
            "sample", "/usr/bin/env",
            $"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:{FreePort.Next()}", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", "OTEL_METRIC_EXPORT_INTERVAL=500",
            "dotnet", Repository.Sample("Telemetry"), "--Broker:Listen:0=127.0.0.1:0",
            "--ZeroMqBridge:Routes:events:Publishers=tcp://127.0.0.1:*", "--ZeroMqBridge:Routes:events:Subscribers=tcp://127.0.0.1:*");

        await sample.ReadLineWithAsync("The metrics and traces were not exported");
    }

    [Fact]
    public void The_page_shows_what_the_sample_does()
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "telemetry.md"));
        string program = File.ReadAllText(Path.Combine(Repository.Root, "samples", "Telemetry", "Program.cs"));

        Assert.Contains(CodeBlock().Match(page).Groups[1].Value, program, StringComparison.Ordinal);
    }

    [GeneratedRegex("^00-[0-9a-f]{32}-([0-9a-f]{16})-01$", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex TraceParent();

    [GeneratedRegex("```csharp\n(.*?)```", RegexOptions.CultureInvariant | RegexOptions.Singleline, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex CodeBlock();
}
