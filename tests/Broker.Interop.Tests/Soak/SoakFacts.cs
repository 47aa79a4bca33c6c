using System.Globalization;
using System.Text.Json;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Soak;

/// <summary>The resources of a broker process, as the system and the broker report them.</summary>
internal sealed record SoakFacts(int Descriptors, int Threads, long Resident, int Connections, int Subscriptions, long Pending, int Peers)
{
    // The thread pool keeps a thread for each processor, even without work, and adds one if it expects more throughput.
    private static readonly int MoreThreads = 2 * Environment.ProcessorCount;

    internal static async Task<SoakFacts> ReadAsync(BrokerProcess broker, HttpClient pages)
    {
        using JsonDocument server = await PageAsync(pages, "/varz");
        using JsonDocument bridge = await PageAsync(pages, "/bridgez");
        using JsonDocument connections = await PageAsync(pages, "/connz?limit=10000");
        return new SoakFacts(
            Directory.GetFileSystemEntries(string.Create(CultureInfo.InvariantCulture, $"/proc/{broker.Process.Id}/fd")).Length,
            Directory.GetDirectories(string.Create(CultureInfo.InvariantCulture, $"/proc/{broker.Process.Id}/task")).Length,
            broker.ResidentMemory(),
            server.RootElement.GetProperty("connections").GetInt32(),
            server.RootElement.GetProperty("subscriptions").GetInt32(),
            connections.RootElement.GetProperty("connections").EnumerateArray().Sum(static c => c.GetProperty("pending_bytes").GetInt64()),
            bridge.RootElement.GetProperty("routes").EnumerateArray().Sum(static route => route.GetProperty("peers").GetInt32()));
    }

    /// <summary>Reads a monitoring page as JSON.</summary>
    internal static async Task<JsonDocument> PageAsync(HttpClient pages, string path)
        => JsonDocument.Parse(await pages.GetStringAsync(path, TestContext.Current.CancellationToken));

    /// <summary>Whether the connections, subscriptions and ZeroMQ peers are as many as before.</summary>
    internal bool HasNobodyBut(SoakFacts before) => Connections == before.Connections && Subscriptions == before.Subscriptions && Peers == before.Peers;

    /// <summary>Whether no resource except memory is above its value before.</summary>
    internal bool IsBackAt(SoakFacts before)
        => HasNobodyBut(before) && Pending == 0 && Descriptors <= before.Descriptors && Threads <= before.Threads + MoreThreads;

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Descriptors} descriptors, {Threads} threads, {Resident / 1e6:f1} MB resident, {Connections} connections, {Subscriptions} subscriptions, {Pending} bytes pending, {Peers} ZeroMQ peers");
}
