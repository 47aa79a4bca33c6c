using System.Text;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Hostility;

/// <summary>
/// A thread-safe socket that hostile peers connect to, and a well-behaved peer that it must serve all the time.
/// </summary>
internal sealed class Listener : IAsyncDisposable
{
    private readonly MessageSocket _socket;
    private readonly MessageSocket _decent;
    private int _round;

    public Listener(string type, Func<ZeroMqSocketOptions, ZeroMqSocketOptions>? change = null)
    {
        var options = new ZeroMqSocketOptions { OnEvent = Events.Add, Linger = TimeSpan.Zero };
        options = change is null ? options : change(options);
        var quiet = new ZeroMqSocketOptions { Linger = TimeSpan.Zero };
        (_socket, _decent, HostileType) = Make(type, options, quiet);
        if (_socket is SubscriberSocket sub)
        {
            sub.Subscribe("r");
        }

        Endpoint = ZeroMqEndpoint.Parse(_socket.Bind("tcp://127.0.0.1:*"));
        _decent.Connect(Endpoint.ToString());
        if (_decent is XPublisherSocket pub)
        {
            Assert.Equal(2, pub.ReceiveBytes().Length);
        }
    }

    public Inbox<ZeroMqEvent> Events { get; } = new();

    public ZeroMqEndpoint Endpoint { get; }

    /// <summary>The socket type that a hostile peer must announce.</summary>
    public string HostileType { get; }

    public int ConnectionCount => _socket.ConnectionCount;

    /// <summary>Checks that the well-behaved peer is served.</summary>
    public void Serve()
    {
        string text = $"r{_round++}";
        switch (_socket, _decent)
        {
            case (PullSocket pull, PushSocket push):
                push.Send(text);
                Assert.Equal(text, pull.ReceiveString());
                break;
            case (RouterSocket router, DealerSocket dealer):
                dealer.Send(text);
                using (var message = new ZeroMqMessage())
                {
                    router.Receive(message);
                    router.Send(message);
                }

                Assert.Equal(text, dealer.ReceiveString());
                break;
            case (DealerSocket here, DealerSocket there):
                there.Send(text);
                Assert.Equal(text, here.ReceiveString());
                break;
            case (ResponseSocket rep, RequestSocket req):
                req.Send(text);
                Assert.Equal(text, rep.ReceiveString());
                rep.Send(text);
                Assert.Equal(text, req.ReceiveString());
                break;
            case (XPublisherSocket pub, XSubscriberSocket sub):
                sub.Subscribe(text);
                Assert.Equal([1, .. Encoding.ASCII.GetBytes(text)], pub.ReceiveBytes());
                pub.Send(text);
                Assert.Equal(text, sub.ReceiveString());
                break;
            case (SubscriberSocket sub, XPublisherSocket pub):
                pub.Send(text);
                Assert.Equal(text, sub.ReceiveString());
                break;
            default:
                Assert.Fail("no such pair");
                break;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _decent.CloseAsync(TimeSpan.Zero);
        await _socket.CloseAsync(TimeSpan.Zero);
    }

    private static (MessageSocket Socket, MessageSocket Decent, string HostileType) Make(string type, ZeroMqSocketOptions options, ZeroMqSocketOptions quiet)
        => type switch
        {
            "PULL" => (new PullSocket(options), new PushSocket(quiet), "PUSH"),
            "ROUTER" => (new RouterSocket(new RouterSocketOptions { OnEvent = options.OnEvent, Linger = TimeSpan.Zero }), new DealerSocket(quiet), "DEALER"),
            "DEALER" => (new DealerSocket(options), new DealerSocket(quiet), "ROUTER"),
            "REP" => (new ResponseSocket(options), new RequestSocket(new RequestSocketOptions { Linger = TimeSpan.Zero }), "REQ"),
            "XPUB" => (new XPublisherSocket(new XPublisherSocketOptions { OnEvent = options.OnEvent }), new XSubscriberSocket(quiet), "XSUB"),
            _ => (new SubscriberSocket(options), new XPublisherSocket(new XPublisherSocketOptions { Linger = TimeSpan.Zero }), "PUB"),
        };
}
