using System.Diagnostics;
using System.Text.Json;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Runs;

/// <summary>
/// Verifies every row on every server, warms up, then measures in rounds. Within a round each row runs on one server
/// after the other, and every other round in the reverse order: what slows the machine for a while slows them alike.
/// </summary>
internal sealed class LoadRun(Settings settings, IReadOnlyList<Row> rows, IReadOnlyList<ServerCommand> commands, TextWriter progress)
{
    private readonly BufferPool _buffers = new();
    private readonly Results _results = new() { Settings = settings, Rows = rows };
    private readonly HashSet<(string Row, string Server)> _failed = [];

    public Results Run(CancellationToken cancellationToken)
    {
        var watch = Stopwatch.StartNew();
        using IServerPool servers = settings.Cold ? new FreshServers(_buffers) : new KeptServers(_buffers);
        Introduce(servers);
        if (_results.Participants.Count == 0)
            return _results;
        Verify(servers, cancellationToken);
        Dictionary<string, long> messages = WarmUp(servers, cancellationToken);
        for (int round = 1; round <= settings.Rounds; round++)
        {
            progress.WriteLine($"round {round} of {settings.Rounds}, {watch.Elapsed.TotalSeconds:0} s");
            foreach (Row row in rows)
            {
                foreach (Participant participant in round % 2 == 1 ? _results.Participants : Enumerable.Reverse(_results.Participants))
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    if (Measure(servers, row, participant, messages[row.Name]) is { } measurement)
                        _results.Samples.Add(new Sample(row.Name, participant.Command.Name, round, measurement));
                }
            }
        }

        _results.Duration = watch.Elapsed;
        return _results;
    }

    private void Introduce(IServerPool servers)
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
                Fail(e.Message);
            }
        }
    }

    private void Verify(IServerPool servers, CancellationToken cancellationToken)
    {
        progress.WriteLine("verifying: every byte of a small number of messages");
        foreach (Row row in rows)
        {
            foreach (Participant participant in _results.Participants)
            {
                cancellationToken.ThrowIfCancellationRequested();
                Attempt(servers, row, participant, target =>
                {
                    row.Verify(target);
                    return true;
                });
            }
        }
    }

    private Dictionary<string, long> WarmUp(IServerPool servers, CancellationToken cancellationToken)
    {
        var sizing = new Sizing(settings);
        Dictionary<string, long> messages = rows.ToDictionary(row => row.Name, sizing.FirstGuess, StringComparer.Ordinal);
        for (int pass = 1; pass <= settings.WarmUps; pass++)
        {
            progress.WriteLine($"warm-up {pass} of {settings.WarmUps}");
            foreach (Row row in rows)
            {
                cancellationToken.ThrowIfCancellationRequested();
                Measurement[] seen = [.. _results.Participants.Select(participant => Measure(servers, row, participant, messages[row.Name])).OfType<Measurement>()];
                messages[row.Name] = sizing.From(row, seen);
            }
        }

        return messages;
    }

    private Measurement? Measure(IServerPool servers, Row row, Participant participant, long messages) =>
        Attempt(servers, row, participant, target => row.Measure(target, messages));

    /// <summary>Default when it failed, now or earlier: a row that a server got wrong once is not measured on it.</summary>
    private T? Attempt<T>(IServerPool servers, Row row, Participant participant, Func<Target, T> action)
    {
        if (_failed.Contains((row.Name, participant.Command.Name)))
            return default;
        ServerProcess? server = null;
        try
        {
            server = servers.Acquire(participant.Command);
            return action(new Target(server, _buffers));
        }
        catch (Exception e) when (e is DriverException or System.Net.Sockets.SocketException)
        {
            _failed.Add((row.Name, participant.Command.Name));
            Fail($"{row.Name} on {participant.Command.Name}: {e.Message}");
            return default;
        }
        finally
        {
            if (server is not null)
                servers.Release(server);
        }
    }

    private void Fail(string message)
    {
        progress.WriteLine($"FAILED {message}");
        _results.Failures.Add(message);
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
