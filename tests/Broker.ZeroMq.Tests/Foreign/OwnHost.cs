using System.Collections.Concurrent;
using System.Text;
using System.Text.Json.Nodes;
using Broker.Cryptography;

namespace Broker.ZeroMq.Tests.Foreign;

/// <summary>
/// The thread-safe sockets of this library behind the interface of another implementation. It understands the commands
/// of peers/python/host.py.
/// </summary>
internal sealed class OwnHost
{
    private const int Short = 1024;

    private readonly Dictionary<string, MessageSocket> _sockets = [];
    private readonly Dictionary<string, BlockingCollection<ZeroMqEvent>> _refusals = [];
    private JsonObject _users = [];

    public JsonObject Call(JsonObject arguments)
    {
        string name = (string?)arguments["name"] ?? "";
        switch ((string)arguments["op"]!)
        {
            case "socket":
                _refusals.Add(name, []);
                _sockets.Add(name, Make((string)arguments["type"]!, arguments["options"]!.AsObject(), _refusals[name]));
                return [];
            case "zap":
                _users = arguments["users"]!.DeepClone().AsObject();
                return new JsonObject { ["asked"] = 0 };
            case "monitor":
                return [];
            case "event":
                return new JsonObject { ["value"] = _refusals[name].TryTake(out _, Timeout(arguments)) ? 1 : null };
            case "bind":
                return new JsonObject { ["endpoint"] = _sockets[name].Bind((string)arguments["endpoint"]!) };
            case "connect":
                _sockets[name].Connect((string)arguments["endpoint"]!);
                return [];
            case "disconnect":
                _sockets[name].Disconnect((string)arguments["endpoint"]!);
                return [];
            case "option":
                byte[] prefix = Convert.FromHexString((string)arguments["value"]![0]!);
                ((SubscriberSocket)_sockets[name]).Subscribe(prefix);
                return [];
            case "peers":
                return new JsonObject { ["value"] = _sockets[name].ConnectionCount };
            case "send":
                return Send(_sockets[name], arguments["frames"]!.AsArray(), Timeout(arguments)) ? [] : new JsonObject { ["refused"] = 1 };
            case "receive":
                return new JsonObject { ["frames"] = Receive(_sockets[name], Timeout(arguments)) };
            case "close":
                _sockets.Remove(name, out MessageSocket? closed);
                closed!.Dispose();
                return [];
            default:
                throw new NotSupportedException((string)arguments["op"]!);
        }
    }

    private static TimeSpan Timeout(JsonObject arguments) => TimeSpan.FromMilliseconds((int)arguments["timeout"]!);

    private MessageSocket Make(string type, JsonObject wanted, BlockingCollection<ZeroMqEvent> refusals)
    {
        return type switch
        {
            "PUB" => new PublisherSocket(Options(new ZeroMqSocketOptions())),
            "SUB" => new SubscriberSocket(Options(new ZeroMqSocketOptions())),
            "XPUB" => new XPublisherSocket(Options(new XPublisherSocketOptions())),
            "XSUB" => new XSubscriberSocket(Options(new ZeroMqSocketOptions())),
            "PUSH" => new PushSocket(Options(new ZeroMqSocketOptions())),
            "PULL" => new PullSocket(Options(new ZeroMqSocketOptions())),
            "PAIR" => new PairSocket(Options(new ZeroMqSocketOptions())),
            "REQ" => new RequestSocket(Options(new RequestSocketOptions())),
            "REP" => new ResponseSocket(Options(new ZeroMqSocketOptions())),
            "DEALER" => new DealerSocket(Options(new ZeroMqSocketOptions())),
            _ => new RouterSocket(Options(new RouterSocketOptions { Mandatory = wanted["ROUTER_MANDATORY"] is not null })),
        };

        T Options<T>(T plain)
            where T : ZeroMqSocketOptions => plain with
            {
                RoutingId = Encoding.ASCII.GetBytes((string?)wanted["ROUTING_ID"] ?? ""),
                Linger = TimeSpan.Zero,
                ReconnectInitial = wanted["RECONNECT_IVL"] is { } first ? TimeSpan.FromMilliseconds((int)first) : plain.ReconnectInitial,
                ReconnectMax = wanted["RECONNECT_IVL_MAX"] is { } longest ? TimeSpan.FromMilliseconds((int)longest) : plain.ReconnectMax,
                Security = SecurityOf(wanted),
                Authenticate = wanted["PLAIN_SERVER"] is null ? null : Admit,
                OnEvent = e =>
                {
                    if (e.Kind == ZeroMqEventKind.PeerRefused)
                    {
                        refusals.Add(e);
                    }
                },
            };
    }

    private static ZeroMqSecurity SecurityOf(JsonObject wanted)
    {
        if (wanted["PLAIN_SERVER"] is not null)
        {
            return ZeroMqSecurity.PlainServer;
        }

        if (wanted["PLAIN_USERNAME"] is { } user)
        {
            return ZeroMqSecurity.PlainClient((string)user!, (string)wanted["PLAIN_PASSWORD"]!);
        }

        if (wanted["CURVE_SECRETKEY"] is not { } secret)
        {
            return ZeroMqSecurity.Null;
        }

        var keys = CurveKeyPair.Parse(new CurveCryptography(), (string)secret!);
        return wanted["CURVE_SERVER"] is null
            ? ZeroMqSecurity.CurveClient(keys, CurveKey.Parse((string)wanted["CURVE_SERVERKEY"]!))
            : ZeroMqSecurity.CurveServer(keys);
    }

    private ValueTask<ZeroMqAdmission> Admit(ZeroMqCredentials shown) => ValueTask.FromResult(
        shown.Password is { } password && password == (string?)_users[shown.Username!] ? ZeroMqAdmission.Admit() : ZeroMqAdmission.Refuse("400"));

    private static bool Send(MessageSocket socket, JsonArray frames, TimeSpan timeout)
    {
        using var message = new ZeroMqMessage();
        foreach (JsonNode? frame in frames)
        {
            message.Append(frame is JsonArray filled ? Zmtp.Wire.Filled((int)filled[0]!, (byte)(int)filled[1]!) : Convert.FromHexString((string)frame!));
        }

        try
        {
            return socket.Sender.TrySend(new Encoders.Verbatim(message.Encoded), timeout);
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
        if (!socket.Receiver.TryReceive(ref reader, timeout, out _))
        {
            return null;
        }

        var frames = new JsonArray();
        foreach (byte[] frame in message.ToArrays())
        {
            frames.Add((JsonNode)(frame.Length <= Short ? Convert.ToHexStringLower(frame)
                : frame.AsSpan().ContainsAnyExcept(frame[0]) ? new JsonObject { ["size"] = frame.Length }
                : new JsonArray(frame.Length, (int)frame[0])));
        }

        return frames;
    }
}
