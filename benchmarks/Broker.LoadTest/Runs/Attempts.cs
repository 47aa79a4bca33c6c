using System.Net.Sockets;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Runs;

/// <summary>
/// Runs attempts and records failures. A row that failed with a server is not tried with it again.
/// </summary>
internal sealed class Attempts(DriverResources resources, Results results, TextWriter progress)
{
    private readonly HashSet<(string Row, string Server)> _failed = [];

    public bool HasFailed(Row row, Participant participant) => _failed.Contains((row.Name, participant.Command.Name));

    /// <summary>
    /// Runs an attempt. Returns the default value if it failed, now or earlier, or if the row does not apply to this
    /// server.
    /// </summary>
    public T? With<T>(IServerPool servers, Row row, Participant participant, Func<Target, T> action)
    {
        if (row.CommandFor(participant.Command) is not { } command || HasFailed(row, participant))
        {
            return default;
        }

        ServerProcess? server = null;
        try
        {
            server = servers.Acquire(command);
            return action(new Target(server, resources.Buffers));
        }
        catch (Exception e) when (IsServersFault(e))
        {
            Fail(row, participant, e);
            return default;
        }
        finally
        {
            if (server is not null)
            {
                servers.Release(server);
            }
        }
    }

    public static bool IsServersFault(Exception e) => e is DriverException or SocketException;

    public void Fail(Row row, Participant participant, Exception e)
    {
        _failed.Add((row.Name, participant.Command.Name));
        Fail($"{row.Name} on {participant.Command.Name}: {e.Message}");
    }

    public void Fail(string message)
    {
        progress.WriteLine($"FAILED {message}");
        results.Failures.Add(message);
    }
}
