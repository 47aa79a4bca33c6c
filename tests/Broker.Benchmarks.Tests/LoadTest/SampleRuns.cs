using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;
using Broker.LoadTest.Servers;

namespace Broker.Benchmarks.Tests.LoadTest;

/// <summary>Results as a run with nats-server and the broker writes them.</summary>
internal static class SampleRuns
{
    public static Results Of(Settings settings, params string[] rows)
    {
        var results = new Results { Settings = settings, Rows = Catalogue.Select(rows) };
        results.Participants.Add(new Participant(new ServerCommand("nats-server", "/usr/sbin/nats-server", ["-p", "{port}"]), "2.9.10"));
        results.Participants.Add(new Participant(new ServerCommand("broker", "dotnet", ["broker.dll"]), "0.1"));
        return results;
    }

    public static Results Warm(params string[] rows) => Of(new Settings { Quick = true, Rounds = 3 }, rows);

    /// <summary>Adds one round for each of these CPU times in seconds.</summary>
    public static void Add(this Results results, string row, string server, params double[] cpuSeconds)
    {
        for (int round = 1; round <= cpuSeconds.Length; round++)
        {
            results.Samples.Add(new Sample(row, server, round, Measured(cpuSeconds[round - 1])));
        }
    }

    public static Measurement Measured(double cpuSeconds) => new()
    {
        Messages = 1_000_000,
        Seconds = cpuSeconds * 2,
        CpuSeconds = cpuSeconds,
        ResidentBytes = 50_000_000,
    };
}
