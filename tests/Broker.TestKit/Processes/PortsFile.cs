using System.Text.Json;

namespace Broker.TestKit.Processes;

/// <summary>The addresses that a server wrote down for scripts; a list is empty where the server does not listen.</summary>
public sealed record PortsFile(
    IReadOnlyList<string> Nats,
    IReadOnlyList<string> Monitoring,
    IReadOnlyList<string> WebSocket,
    IReadOnlyList<string> Publishers,
    IReadOnlyList<string> Subscribers)
{
    // Two minutes. Attempts are counted, so that a machine which stood still meanwhile does not end a test.
    private const int Attempts = 6000;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    /// <summary>Waits for the file of a process. nats-server writes it some time after it listens, so it is asked for again.</summary>
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

    /// <summary>The same for a caller that cannot await.</summary>
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
            // Its writer has it, or has taken it away again at its end.
            return null;
        }
    }

    private static PortsFile? Parse(string text)
    {
        try
        {
            using JsonDocument json = JsonDocument.Parse(text);
            JsonElement root = json.RootElement;
            JsonElement zeroMq = root.TryGetProperty("zeromq", out JsonElement member) ? member : default;
            return new PortsFile(
                Strings(root, "nats"), Strings(root, "monitoring"), Strings(root, "websocket"), Strings(zeroMq, "publishers"), Strings(zeroMq, "subscribers"));
        }
        catch (JsonException)
        {
            // Read in the middle of its writing.
            return null;
        }
    }

    private static string[] Strings(JsonElement element, string name)
        => element.ValueKind == JsonValueKind.Object && element.TryGetProperty(name, out JsonElement array)
            ? [.. array.EnumerateArray().Select(item => item.GetString()!)]
            : [];
}
