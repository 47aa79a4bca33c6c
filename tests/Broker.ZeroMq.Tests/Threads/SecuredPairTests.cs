using System.Text;
using Broker.ZeroMq.Tests.Mechanisms;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>PLAIN and CURVE are options of all socket types.</summary>
public sealed class SecuredPairTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    public static TheoryData<string, string, bool> Cases
    {
        get
        {
            var all = new TheoryData<string, string, bool>();
            foreach (string pair in (string[])["push", "publish", "request", "dealer", "pair", "xpublish"])
            {
                foreach (string mechanism in (string[])["PLAIN", "CURVE"])
                {
                    all.Add(pair, mechanism, true);
                    all.Add(pair, mechanism, false);
                }
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void Each_pair_of_sockets_works_secured_whoever_is_the_server(string pair, string mechanism, bool firstIsServer)
    {
        var server = new ZeroMqSocketOptions
        {
            Security = mechanism == "CURVE" ? Curve.Server : ZeroMqSecurity.PlainServer,
            Authenticate = shown => ValueTask.FromResult(
                mechanism == "CURVE" || (shown.Username, shown.Password) == ("me", "secret") ? ZeroMqAdmission.Admit() : ZeroMqAdmission.Refuse("who?")),
        };
        var client = new ZeroMqSocketOptions
        {
            Security = mechanism == "CURVE" ? Curve.Client : ZeroMqSecurity.PlainClient("me", "secret"),
        };
        (ZeroMqSocketOptions? first, ZeroMqSocketOptions? second) = firstIsServer ? (server, client) : (client, server);
        switch (pair)
        {
            case "push":
                using (var push = new PushSocket(first))
                using (var pull = new PullSocket(second))
                {
                    push.Connect(pull.Bind(AnyPort));
                    push.Send("a", "b");
                    Assert.Equal("a|b", Show(pull.ReceiveFrames()));
                }

                break;
            case "publish":
                using (var pub = new PublisherSocket(first))
                using (var sub = new SubscriberSocket(second))
                using (var message = new ZeroMqMessage())
                {
                    sub.Subscribe("t");
                    sub.Connect(pub.Bind(AnyPort));
                    Wait.Until(() =>
                    {
                        pub.Send("t", "b");
                        return sub.TryReceive(message, TimeSpan.FromMilliseconds(10));
                    });
                    Assert.Equal("t|b", Show(message.ToArrays()));
                }

                break;
            case "xpublish":
                using (var pub = new XPublisherSocket(new XPublisherSocketOptions { Security = first.Security, Authenticate = first.Authenticate }))
                using (var sub = new XSubscriberSocket(second))
                {
                    sub.Subscribe("t");
                    sub.Connect(pub.Bind(AnyPort));
                    Assert.Equal([1, (byte)'t'], pub.ReceiveBytes());
                    pub.Send("t", "b");
                    Assert.Equal("t|b", Show(sub.ReceiveFrames()));
                }

                break;
            case "request":
                using (var req = new RequestSocket(new RequestSocketOptions { Security = first.Security, Authenticate = first.Authenticate }))
                using (var rep = new ResponseSocket(second))
                {
                    req.Connect(rep.Bind(AnyPort));
                    req.Send("question");
                    Assert.Equal("question", rep.ReceiveString());
                    rep.Send("answer");
                    Assert.Equal("answer", req.ReceiveString());
                }

                break;
            case "dealer":
                using (var dealer = new DealerSocket(first))
                using (var router = new RouterSocket(new RouterSocketOptions { Security = second.Security, Authenticate = second.Authenticate }))
                using (var message = new ZeroMqMessage())
                {
                    dealer.Connect(router.Bind(AnyPort));
                    dealer.Send("there");
                    router.Receive(message);
                    router.Send(message);
                    Assert.Equal("there", dealer.ReceiveString());
                }

                break;
            default:
                using (var left = new PairSocket(first))
                using (var right = new PairSocket(second))
                {
                    left.Connect(right.Bind(AnyPort));
                    left.Send("to the right");
                    Assert.Equal("to the right", right.ReceiveString());
                    right.Send("to the left");
                    Assert.Equal("to the left", left.ReceiveString());
                }

                break;
        }
    }

    private static string Show(byte[][] frames) => string.Join('|', frames.Select(Encoding.UTF8.GetString));
}
