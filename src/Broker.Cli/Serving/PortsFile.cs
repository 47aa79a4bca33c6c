using System.Text.Json;

namespace Broker.Cli.Serving;

/// <summary>
/// The file <c>broker_&lt;pid&gt;.ports</c> with the real addresses, for scripts. It has the format of nats-server,
/// with an additional member for ZeroMQ. The file name begins with the name of the program.
/// </summary>
internal sealed class PortsFile : IDisposable
{
    private PortsFile(string path) => Path = path;

    public string Path { get; }

    /// <exception cref="ServeStartException">The file cannot be written.</exception>
    public static PortsFile Write(string directory, ServeAddresses addresses, string program = ProgramName.Default)
    {
        string path = System.IO.Path.Combine(directory, $"{program}_{Environment.ProcessId}.ports");
        try
        {
            // The file is renamed when it is complete, so that a script that polls for it never reads a part of it.
            string unfinished = path + ".tmp";
            File.WriteAllBytes(unfinished, Serialize(addresses));
            File.Move(unfinished, path, overwrite: true);
            return new PortsFile(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new ServeStartException($"cannot write the ports file {path}: {e.Message}", e);
        }
    }

    public void Dispose() => FileRemoval.Try(Path);

    private static byte[] Serialize(ServeAddresses addresses)
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes))
        {
            json.WriteStartObject();
            WriteArray(json, "nats", addresses.Nats);
            WriteArray(json, "monitoring", addresses.Monitoring);
            WriteArray(json, "websocket", addresses.WebSocket);
            json.WriteStartObject("zeromq");
            WriteArray(json, "publishers", addresses.ZeroMqPublishers);
            WriteArray(json, "subscribers", addresses.ZeroMqSubscribers);
            json.WriteStartObject("routes");
            foreach (RouteAddresses route in addresses.ZeroMqRoutes)
            {
                WriteArray(json, route.Name, route.Endpoints);
            }

            json.WriteEndObject();
            json.WriteEndObject();
            json.WriteEndObject();
        }

        return bytes.ToArray();
    }

    private static void WriteArray(Utf8JsonWriter json, string name, IReadOnlyList<string> values)
    {
        json.WriteStartArray(name);
        foreach (string value in values)
        {
            json.WriteStringValue(value);
        }

        json.WriteEndArray();
    }
}
