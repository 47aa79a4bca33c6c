using System.Collections.Concurrent;
using System.Text.Json.Nodes;

namespace Broker.NetMqPeer;

/// <summary>
/// Runs commands from standard input on NetMQ sockets: one JSON object per line in, one per line out, in order. All
/// sockets are used on one thread, as NetMQ requires.
/// </summary>
internal sealed class Host
{
    private const int Tick = 10;

    private readonly Dictionary<string, HostedSocket> _sockets = new(StringComparer.Ordinal);

    public void Run()
    {
        using var lines = new BlockingCollection<string>();
        var reading = new Thread(() => Read(lines)) { IsBackground = true };
        reading.Start();
        while (!lines.IsCompleted)
        {
            if (lines.TryTake(out string? line, Tick))
            {
                Console.Out.WriteLine(Answer(JsonNode.Parse(line)!.AsObject()).ToJsonString());
                Console.Out.Flush();
                continue;
            }

            // Without regular calls a socket learns of no new peer, and a publisher of no subscription.
            foreach (HostedSocket socket in _sockets.Values)
            {
                socket.Serve();
            }
        }
    }

    private static void Read(BlockingCollection<string> lines)
    {
        while (Console.In.ReadLine() is { } line)
        {
            lines.Add(line);
        }

        lines.CompleteAdding();
    }

    private JsonObject Answer(JsonObject command)
    {
        try
        {
            return Do((string)command["op"]!, (string)command["name"]!, command);
        }
        catch (Exception e)
        {
            return new JsonObject { ["error"] = $"{e.GetType().Name}: {e.Message}" };
        }
    }

    private JsonObject Do(string operation, string name, JsonObject command)
    {
        if (operation == "socket")
        {
            var made = new HostedSocket((string)command["type"]!);
            _sockets.Add(name, made);
            foreach ((string option, JsonNode? value) in command["options"]?.AsObject() ?? [])
            {
                made.Set(option, value!);
            }

            return [];
        }

        HostedSocket socket = _sockets[name];
        switch (operation)
        {
            case "bind":
                return new JsonObject { ["endpoint"] = socket.Bind((string)command["endpoint"]!) };
            case "connect":
                socket.Socket.Connect((string)command["endpoint"]!);
                return [];
            case "disconnect":
                socket.Socket.Disconnect((string)command["endpoint"]!);
                return [];
            case "option":
                socket.Set((string)command["option"]!, command["value"]!);
                return [];
            case "send":
                return socket.Send(command["frames"]!.AsArray(), Limit(command)) ? [] : new JsonObject { ["refused"] = 1 };
            case "receive":
                return new JsonObject { ["frames"] = socket.Receive(Limit(command)) };
            case "send_numbers":
                return new JsonObject { ["value"] = socket.SendNumbers((int)command["count"]!, (int)command["size"]!, Limit(command)) };
            case "receive_numbers":
                return new JsonObject { ["value"] = socket.ReceiveNumbers((int)command["count"]!, Limit(command)) };
            case "monitor":
                socket.Monitor();
                return [];
            case "event":
                return new JsonObject { ["value"] = socket.SeesEvent((string)command["event"]!, Limit(command)) ? 0 : null };
            case "close":
                _sockets.Remove(name);
                socket.Dispose();
                return [];
            default:
                throw new NotSupportedException(operation);
        }
    }

    private static TimeSpan Limit(JsonObject command) => TimeSpan.FromMilliseconds((int)command["timeout"]!);
}
