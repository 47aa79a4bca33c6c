using System.Diagnostics;
using System.Text.Json;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Rows.Growth;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Runs;

/// <summary>Finds the available servers and runs the rows with them in one state: warm or cold.</summary>
internal sealed class LoadRun(Settings settings, IReadOnlyList<Row> rows, IReadOnlyList<ServerCommand> commands, DriverResources resources, TextWriter progress)
{
    private readonly Results _results = new() { Settings = settings, Rows = rows };

    public Results Run(CancellationToken cancellationToken)
    {
        var watch = Stopwatch.StartNew();
        var attempts = new Attempts(resources, _results, progress);
        using var fresh = new FreshServers(resources);
        using (IServerPool servers = settings.Cold ? new FreshServers(resources) : new KeptServers(resources))
        {
            Introduce(servers, attempts);
            if (_results.Participants.Count == 0)
            {
                return _results;
            }

            Row[] mixed = [.. rows.Where(row => row is not StagedRow)];
            if (mixed.Length > 0)
            {
                new RoundRobin(settings, mixed, servers, fresh, attempts, _results, progress).Run(cancellationToken);
            }
        }

        new StagedRun(settings, [.. rows.OfType<StagedRow>()], resources, attempts, _results, progress).Run(cancellationToken);
        _results.Duration = watch.Elapsed;
        return _results;
    }

    private void Introduce(IServerPool servers, Attempts attempts)
    {
        foreach (ServerCommand command in commands)
        {
            try
            {
                ServerProcess server = servers.Acquire(command);
                _results.Participants.Add(new Participant(command, Version(server.Info)));
                servers.Release(server);
            }
            catch (DriverException e)
            {
                attempts.Fail(e.Message);
            }
        }
    }

    private static string Version(string info)
    {
        try
        {
            using var document = JsonDocument.Parse(info);
            return document.RootElement.TryGetProperty("version", out JsonElement version) ? version.GetString() ?? "?" : "?";
        }
        catch (JsonException)
        {
            return "?";
        }
    }
}
