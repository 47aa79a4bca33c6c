using System.Text.Json;

namespace Broker.Interop.Tests.Harness;

/// <summary>The addresses that a server wrote down for scripts.</summary>
internal sealed record PortsFile(IReadOnlyList<string> Nats, IReadOnlyList<string> Publishers, IReadOnlyList<string> Subscribers)
{
    /// <summary>Waits for the file of a process. nats-server writes it some time after it listens, so it is asked for again.</summary>
    public static async Task<PortsFile> WaitAsync(string directory, PeerProcess server)
    {
        var path = (string?)null;
        for (var attempt = 0; attempt < 500; attempt++)
        {
            path = Directory.EnumerateFiles(directory, $"*_{server.Id}.ports").FirstOrDefault();
            if (path is not null && Parse(await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken)) is { } ports)
                return ports;
            if (server.HasExited)
                throw server.Failure("ended before it wrote its ports file");
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }

        throw server.Failure("wrote no ports file");
    }

    private static PortsFile? Parse(string text)
    {
        try
        {
            using var json = JsonDocument.Parse(text);
            var zeromq = json.RootElement.TryGetProperty("zeromq", out var member) ? member : default;
            return new PortsFile(Strings(json.RootElement, "nats"), Strings(zeromq, "publishers"), Strings(zeromq, "subscribers"));
        }
        catch (JsonException)
        {
            // Read in the middle of its writing.
            return null;
        }
    }

    private static string[] Strings(JsonElement element, string name) =>
        element.ValueKind == JsonValueKind.Object && element.TryGetProperty(name, out var array)
            ? [.. array.EnumerateArray().Select(item => item.GetString()!)]
            : [];
}
