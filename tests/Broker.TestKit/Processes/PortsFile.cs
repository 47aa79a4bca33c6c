using System.Text.Json;

namespace Broker.TestKit.Processes;

/// <summary>The addresses in the ports file of a server. A list is empty if the server does not listen.</summary>
public sealed record PortsFile(
    IReadOnlyList<string> Nats,
    IReadOnlyList<string> Monitoring,
    IReadOnlyList<string> WebSocket,
    IReadOnlyList<string> Publishers,
    IReadOnlyList<string> Subscribers)
{
    // Two minutes. Attempts are counted instead of time, so a test does not fail because the machine was suspended.
    private const int Attempts = 6000;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// Waits for the file of a process. nats-server writes it some time after it listens, so this polls.
    /// </summary>
    public static async Task<PortsFile> WaitAsync(string directory, PeerProcess server)
    {
        for (int attempt = 0; attempt < Attempts; attempt++)
        {
            if (TryRead(directory, server) is { } ports)
            {
                return ports;
            }

            await Task.Delay(Pause, TestContext.Current.CancellationToken);
        }

        throw server.Failure("wrote no ports file");
    }

    /// <summary>Waits for the file of a process and blocks the caller.</summary>
    public static PortsFile Wait(string directory, PeerProcess server)
    {
        for (int attempt = 0; attempt < Attempts; attempt++)
        {
            if (TryRead(directory, server) is { } ports)
            {
                return ports;
            }

            Thread.Sleep(Pause);
        }

        throw server.Failure("wrote no ports file");
    }

    private static PortsFile? TryRead(string directory, PeerProcess server)
    {
        if (Directory.EnumerateFiles(directory, $"*_{server.Id}.ports").FirstOrDefault() is { } path && Read(path) is { } text && Parse(text) is { } ports)
        {
            return ports;
        }

        return server.HasExited ? throw server.Failure("ended before it wrote its ports file") : null;
    }

    private static string? Read(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (IOException)
        {
            // The server has the file open, or has deleted it at its end.
            return null;
        }
    }

    private static PortsFile? Parse(string text)
    {
        try
        {
            using var json = JsonDocument.Parse(text);
            JsonElement root = json.RootElement;
            JsonElement zeroMq = root.TryGetProperty("zeromq", out JsonElement member) ? member : default;
            return new PortsFile(
                Strings(root, "nats"), Strings(root, "monitoring"), Strings(root, "websocket"), Strings(zeroMq, "publishers"), Strings(zeroMq, "subscribers"));
        }
        catch (JsonException)
        {
            // The server has not written the file completely.
            return null;
        }
    }

    private static string[] Strings(JsonElement element, string name)
        => element.ValueKind == JsonValueKind.Object && element.TryGetProperty(name, out JsonElement array)
            ? [.. array.EnumerateArray().Select(item => item.GetString()!)]
            : [];
}
