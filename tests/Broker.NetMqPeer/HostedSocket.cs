using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;
using NetMQ;
using NetMQ.Monitoring;
using NetMQ.Sockets;

namespace Broker.NetMqPeer;

/// <summary>A NetMQ socket with the options and the notation of frames of the other hosts.</summary>
internal sealed class HostedSocket(string type) : IDisposable
{
    private const int Short = 1024;

    // How often the monitor's thread looks whether it should end.
    private static readonly TimeSpan MonitorTick = TimeSpan.FromMilliseconds(20);

    private static int _monitors;

    private readonly BlockingCollection<SocketEvents> _events = [];
    private NetMQMonitor? _monitor;

    public NetMQSocket Socket { get; } = type switch
    {
        "PUB" => new PublisherSocket(),
        "SUB" => new SubscriberSocket(),
        "XPUB" => new XPublisherSocket(),
        "XSUB" => new XSubscriberSocket(),
        "PUSH" => new PushSocket(),
        "PULL" => new PullSocket(),
        "PAIR" => new PairSocket(),
        "REQ" => new RequestSocket(),
        "REP" => new ResponseSocket(),
        "DEALER" => new DealerSocket(),
        "ROUTER" => new RouterSocket(),
        _ => throw new NotSupportedException(type),
    };

    /// <summary>Lets the socket do what its peers have caused.</summary>
    public void Serve() => _ = Socket.HasIn;

    public string Bind(string endpoint)
    {
        Socket.Bind(endpoint);
        return Socket.Options.LastEndpoint!;
    }

    /// <summary>
    /// Sets an option by libzmq's name. CURVE's public key is left out: NetMQ computes it from the secret one.
    /// </summary>
    public void Set(string option, JsonNode value)
    {
        SocketOptions options = Socket.Options;
        switch (option)
        {
            case "SUBSCRIBE":
                ((SubscriberSocket)Socket).Subscribe(Bytes(value));
                break;
            case "UNSUBSCRIBE":
                ((SubscriberSocket)Socket).Unsubscribe(Bytes(value));
                break;
            case "ROUTING_ID" or "IDENTITY":
                options.Identity = Bytes(value);
                break;
            case "ROUTER_MANDATORY":
                options.RouterMandatory = (int)value != 0;
                break;
            case "SNDHWM":
                options.SendHighWatermark = (int)value;
                break;
            case "RCVHWM":
                options.ReceiveHighWatermark = (int)value;
                break;
            case "IMMEDIATE":
                options.DelayAttachOnConnect = (int)value != 0;
                break;
            case "CURVE_SERVER":
                options.CurveServer = (int)value != 0;
                break;
            case "CURVE_SECRETKEY":
                options.CurveCertificate = NetMQCertificate.CreateFromSecretKey((string)value!);
                break;
            case "CURVE_SERVERKEY":
                options.CurveServerCertificate = NetMQCertificate.FromPublicKey((string)value!);
                break;
            case "CURVE_PUBLICKEY":
                break;
            default:
                SetTime(options, option, TimeSpan.FromMilliseconds((int)value));
                break;
        }
    }

    /// <summary>Returns false if the socket could not send in time, or knows no such peer.</summary>
    public bool Send(JsonArray frames, TimeSpan limit)
    {
        try
        {
            return Socket.TrySendMultipartBytes(limit, frames.Select(frame => Decode(frame!)));
        }
        catch (HostUnreachableException)
        {
            return false;
        }
    }

    public JsonArray? Receive(TimeSpan limit)
    {
        List<byte[]> frames = [];
        return Socket.TryReceiveMultipartBytes(limit, ref frames) ? new JsonArray([.. frames.Select(Encode)]) : null;
    }

    /// <summary>Sends messages that begin with the numbers from 0, and returns how many of them.</summary>
    public int SendNumbers(int count, int size, TimeSpan limit)
    {
        for (int i = 0; i < count; i++)
        {
            byte[] message = new byte[size];
            _ = Encoding.ASCII.GetBytes(i.ToString(CultureInfo.InvariantCulture), message);
            if (!Socket.TrySendFrame(limit, message))
            {
                return i;
            }
        }

        return count;
    }

    /// <summary>Receives messages, and returns how many began with the numbers from 0 in order.</summary>
    public int ReceiveNumbers(int count, TimeSpan limit)
    {
        int right = 0;
        while (right < count && Socket.TryReceiveFrameBytes(limit, out byte[]? message))
        {
            int digits = message.AsSpan().IndexOf((byte)0);
            if (int.Parse(message.AsSpan(0, digits < 0 ? message.Length : digits), CultureInfo.InvariantCulture) != right)
            {
                break;
            }

            right++;
        }

        return right;
    }

    public void Monitor()
    {
        string endpoint = $"inproc://monitor-{_monitors++.ToString(CultureInfo.InvariantCulture)}";
        _monitor = new NetMQMonitor(Socket, endpoint, SocketEvents.All) { Timeout = MonitorTick };
        _monitor.EventReceived += (_, e) => _events.Add(e.SocketEvent);

        // Not StartAsync: it blocks a thread of the pool, on which NetMQ's I/O waits too.
        new Thread(_monitor.Start) { IsBackground = true }.Start();
    }

    /// <summary>
    /// Waits for an event. NetMQ has none for a handshake that fails, so this waits for the end of the connection.
    /// </summary>
    public bool SeesEvent(string name, TimeSpan limit)
    {
        SocketEvents wanted = name switch
        {
            "EVENT_HANDSHAKE_FAILED_PROTOCOL" or "EVENT_DISCONNECTED" => SocketEvents.Disconnected,
            "EVENT_CONNECTED" => SocketEvents.Connected,
            "EVENT_ACCEPTED" => SocketEvents.Accepted,
            _ => throw new NotSupportedException(name),
        };
        long end = Environment.TickCount64 + (long)limit.TotalMilliseconds;
        while (Environment.TickCount64 <= end)
        {
            if (_events.TryTake(out SocketEvents seen, MonitorTick) && seen == wanted)
            {
                return true;
            }

            Serve();
        }

        return false;
    }

    public void Dispose()
    {
        if (_monitor is not null)
        {
            _monitor.Stop();
            _monitor.Dispose();
        }

        Socket.Dispose();
        _events.Dispose();
    }

    private static void SetTime(SocketOptions options, string option, TimeSpan time)
    {
        switch (option)
        {
            case "LINGER":
                options.Linger = time;
                break;
            case "HEARTBEAT_IVL":
                options.HeartbeatInterval = time;
                break;
            case "HEARTBEAT_TIMEOUT":
                options.HeartbeatTimeout = time;
                break;
            case "HEARTBEAT_TTL":
                options.HeartbeatTtl = time;
                break;
            case "RECONNECT_IVL":
                options.ReconnectInterval = time;
                break;
            case "RECONNECT_IVL_MAX":
                options.ReconnectIntervalMax = time;
                break;
            default:
                throw new NotSupportedException(option);
        }
    }

    // An option is text, or a list with bytes in hexadecimal.
    private static byte[] Bytes(JsonNode value)
        => value is JsonArray list ? Convert.FromHexString((string)list[0]!) : Encoding.ASCII.GetBytes((string)value!);

    private static JsonNode Encode(byte[] frame)
    {
        if (frame.Length <= Short)
        {
            return Convert.ToHexStringLower(frame);
        }

        return frame.AsSpan().ContainsAnyExcept(frame[0])
            ? new JsonObject { ["size"] = frame.Length }
            : new JsonArray(frame.Length, (int)frame[0]);
    }

    private static byte[] Decode(JsonNode frame)
    {
        if (frame is not JsonArray filled)
        {
            return Convert.FromHexString((string)frame!);
        }

        byte[] all = new byte[(int)filled[0]!];
        all.AsSpan().Fill((byte)(int)filled[1]!);
        return all;
    }
}
