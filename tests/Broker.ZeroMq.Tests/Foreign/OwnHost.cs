using System.Text;
using System.Text.Json.Nodes;
using Broker.ZeroMq.Receivers;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Tests.Foreign;

/// <summary>Our own sockets for threads in the place of another implementation: it understands what peers/python/host.py does.</summary>
internal sealed class OwnHost
{
    private const int Short = 1024;

    private readonly Dictionary<string, MessageSocket> _sockets = [];

    public JsonObject Call(JsonObject arguments)
    {
        string name = (string)arguments["name"]!;
        switch ((string)arguments["op"]!)
        {
            case "socket":
                _sockets.Add(name, Make((string)arguments["type"]!, arguments["options"]!.AsObject()));
                return [];
            case "bind":
                return new JsonObject { ["endpoint"] = _sockets[name].Bind((string)arguments["endpoint"]!) };
            case "connect":
                _sockets[name].Connect((string)arguments["endpoint"]!);
                return [];
            case "option":
                byte[] prefix = Convert.FromHexString((string)arguments["value"]![0]!);
                ((SubscriberSocket)_sockets[name]).Subscribe(prefix);
                return [];
            case "send":
                return Send(_sockets[name], arguments["frames"]!.AsArray(), Timeout(arguments)) ? [] : new JsonObject { ["refused"] = 1 };
            case "receive":
                return new JsonObject { ["frames"] = Receive(_sockets[name], Timeout(arguments)) };
            case "close":
                _sockets.Remove(name, out var closed);
                closed!.Dispose();
                return [];
            default:
                throw new NotSupportedException((string)arguments["op"]!);
        }
    }

    private static TimeSpan Timeout(JsonObject arguments) => TimeSpan.FromMilliseconds((int)arguments["timeout"]!);

    private static MessageSocket Make(string type, JsonObject wanted)
    {
        byte[] id = Encoding.ASCII.GetBytes((string?)wanted["ROUTING_ID"] ?? "");
        var options = new ZeroMqSocketOptions { RoutingId = id, Linger = TimeSpan.Zero };
        return type switch
        {
            "PUB" => new PublisherSocket(options),
            "SUB" => new SubscriberSocket(options),
            "XPUB" => new XPublisherSocket(new XPublisherSocketOptions { Linger = TimeSpan.Zero }),
            "XSUB" => new XSubscriberSocket(options),
            "PUSH" => new PushSocket(options),
            "PULL" => new PullSocket(options),
            "PAIR" => new PairSocket(options),
            "REQ" => new RequestSocket(new RequestSocketOptions { RoutingId = id, Linger = TimeSpan.Zero }),
            "REP" => new ResponseSocket(options),
            "DEALER" => new DealerSocket(options),
            _ => new RouterSocket(new RouterSocketOptions { RoutingId = id, Mandatory = wanted["ROUTER_MANDATORY"] is not null, Linger = TimeSpan.Zero }),
        };
    }

    private static bool Send(MessageSocket socket, JsonArray frames, TimeSpan timeout)
    {
        using var message = new ZeroMqMessage();
        foreach (var frame in frames)
        {
            message.Append(frame is JsonArray filled ? Zmtp.Wire.Filled((int)filled[0]!, (byte)(int)filled[1]!) : Convert.FromHexString((string)frame!));
        }

        try
        {
            return socket.TrySendMessage(new Encoders.Verbatim(message.Encoded), timeout);
        }
        catch (ZeroMqUnroutableException)
        {
            return false;
        }
    }

    private static JsonArray? Receive(MessageSocket socket, TimeSpan timeout)
    {
        using var message = new ZeroMqMessage();
        var reader = new MessageReader(message);
        if (!socket.TryReceiveMessage(ref reader, timeout, out _))
        {
            return null;
        }

        var frames = new JsonArray();
        foreach (byte[] frame in message.ToArrays())
        {
            frames.Add((JsonNode)(frame.Length <= Short ? Convert.ToHexStringLower(frame) : new JsonArray(frame.Length, (int)frame[0])));
        }

        return frames;
    }
}
