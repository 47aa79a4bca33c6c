using Broker.Bridge.Tests.Contract.Support;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.Protocol;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Contract;

/// <summary>
/// Points 7, 8, 13 and 14 of "What is tested" in docs/migration.md: subscriptions, topics, two bridges, and bind or
/// connect.
/// </summary>
public sealed class MeetingTests
{
    private static readonly string[] Topics =
    [
        "", "a", "a.", ".", "a.b", "a b", "\0", "\0.\0", "*", ">", "a.*.>", "a\r\nb", "\r\nPUB x 0\r\n\r\n", "=41", new string('x', 4096),
    ];

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C07_A_prefix_subscribed_to_twice_and_cancelled_once_still_receives_messages(ForeignKind kind, byte minor, bool foreign)
    {
        await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign, ContractSite.PubSub);
        ForeignSocket sub = await site.SubscriberAsync(site.Bridge.Subscribers(), "a.");
        ForeignSocket xsub = await site.ProgramAsync("XSUB", site.Bridge.Subscribers());
        await sub.SubscribeAsync(Shapes.Bytes("a."));
        await xsub.SendTextAsync("\u0001a.");
        await xsub.SendTextAsync("\u0001a.");
        await sub.UnsubscribeAsync(Shapes.Bytes("a."));
        await xsub.SendTextAsync("\0a.");

        // A SUB receives messages for a later subscription only after its earlier ones were processed.
        await sub.SubscribeAsync(Shapes.Bytes("b"));
        await xsub.SendTextAsync("\u0001b");
        await site.HearsAsync(xsub, "zmq.b");
        await site.HearsAsync(sub, "zmq.b");
        await site.AlignAsync("zmq.b", sub, xsub);
        BrokerConnection client = await site.ClientAsync();
        client.Publish("zmq.a.b", "x"u8);
        Assert.Equal("a.b|x", await sub.ReceiveTextAsync());
        Assert.Equal("a.b|x", await xsub.ReceiveTextAsync());
    }

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C08_Topics_of_any_bytes_are_valid_subjects_and_come_back_as_they_were(ForeignKind kind, byte minor, bool foreign)
    {
        await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign, ContractSite.PubSub);
        ForeignSocket sub = await site.SubscriberAsync(site.Bridge.Subscribers());
        ForeignSocket pub = await site.PublisherAsync(site.Bridge.Publishers());
        BrokerConnection client = await site.ClientAsync();
        var subjects = new System.Collections.Concurrent.ConcurrentQueue<byte[]>();
        client.Subscribe("zmq.>", (in MessageView message) => subjects.Enqueue(message.Subject.ToArray()));
        await client.FlushAsync(TestContext.Current.CancellationToken);
        foreach (string topic in Topics)
        {
            await pub.SendTextAsync(topic, "body", topic);
            Assert.Equal($"{topic}|body|{topic}", await sub.ReceiveTextAsync());
        }

        await Wait.UntilAsync(() => subjects.Count == Topics.Length, () => $"{subjects.Count}");
        Assert.All(subjects, subject => Assert.True(Subject.IsValidLiteral(subject)));
        Assert.Equal(Topics.Length, subjects.Select(Convert.ToHexString).Distinct().Count());
        Assert.Equal(0, site.Bridge.PubSub().Refused);
    }

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C13_Two_bridges_on_one_subject_pass_each_message_once_and_none_round(ForeignKind kind, byte minor, bool foreign)
    {
        const int Messages = 100;
        await using ContractSite site = await ContractSite.StartAsync(
            kind, minor, foreign, ContractSite.PubSub, ContractSite.PushPull, ContractSite.Requests, ContractSite.Workers);
        ZeroMqBridge here = site.Bridge;
        ZeroMqBridge there = await site.BridgeAsync(ContractSite.PubSub, ContractSite.PushPull, ContractSite.Requests, ContractSite.Workers);
        ForeignSocket[] subs = [await site.SubscriberAsync(here.Subscribers()), await site.SubscriberAsync(there.Subscribers())];
        await site.AlignAsync("zmq.end", subs);
        ForeignSocket pub = await site.PublisherAsync(here.Publishers());
        ForeignSocket push = await site.ProgramAsync("PUSH", here.Pushers());
        ForeignSocket[] pulls = [await site.ProgramAsync("PULL", here.Pullers()), await site.ProgramAsync("PULL", there.Pullers())];
        ForeignSocket rep = await site.ProgramAsync("REP", there.Endpoint("worker"));
        ForeignSocket req = await site.ProgramAsync("REQ", here.Endpoint("request"));
        for (int i = 0; i < Messages; i++)
        {
            await pub.SendTextAsync("t", $"{i}");
            await push.SendTextAsync($"{i}");
            Task<string> served = rep.ServeAsync("done");
            await req.SendTextAsync($"{i}");
            Assert.Equal($"{i}", await served);
            Assert.Equal($"done|{i}", await req.ReceiveTextAsync());
        }

        await pub.SendTextAsync("end", "end");
        foreach (ForeignSocket sub in subs)
        {
            for (int i = 0; i < Messages; i++)
            {
                Assert.Equal($"t|{i}", await sub.ReceiveTextAsync());
            }

            Assert.Equal("end|end", await sub.ReceiveTextAsync());
        }

        var pulled = new List<string>();
        int turn = 0;
        await Wait.UntilAsync(
            async () =>
            {
                while (await pulls[turn++ % 2].ReceiveAsync(timeout: 20) is { } message)
                {
                    pulled.Add(message);
                }

                return pulled.Count >= Messages;
            },
            () => $"{pulled.Count} of {Messages} messages");

        Assert.Equal((Messages, Messages), (pulled.Count, pulled.Distinct(StringComparer.Ordinal).Count()));
        await Wait.UntilAsync(() => here.PushPull().InFlight == 0, () => $"{here.PushPull()}");
        Assert.Equal(Messages, here.PushPull().Delivered + there.PushPull().Delivered);
        Assert.Equal((Messages + 1, 0), (here.PubSub().FromZeroMq, there.PubSub().FromZeroMq));
        Assert.Equal((Messages, Messages), (here.Requests().Answered, there.Workers().Answered));
    }

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C14_Programs_that_bind_and_programs_that_connect_meet_by_all_patterns(ForeignKind kind, byte minor, bool foreign)
    {
        foreach (bool programsBind in (bool[])[false, true])
        {
            await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign);
            var programs = new Dictionary<string, ForeignSocket>(StringComparer.Ordinal);
            var endpoints = new Dictionary<string, BridgeEndpoint>(StringComparer.Ordinal);
            (string Name, string Type)[] parts =
            [
                ("XPUB", "XPUB"), ("SUB", "SUB"), ("PUSH", "PUSH"), ("PULL", "PULL"), ("REQ", "REQ"), ("REP", "REP"),
                ("router", "DEALER"), ("dealer", "REP"), ("left", "PAIR"), ("right", "PAIR"),
            ];
            foreach ((string name, string type) in parts)
            {
                programs[name] = await site.ProgramAsync(type);
                endpoints[name] = programsBind
                    ? new BridgeEndpoint(Bind: false, site.At(await programs[name].BindAsync("tcp://127.0.0.1:*")))
                    : ContractSite.AnyPort;
            }

            ZeroMqBridge bridge = await site.BridgeAsync(
                ContractSite.PubSub with { Publishers = [endpoints["XPUB"]], Subscribers = [endpoints["SUB"]] },
                ContractSite.PushPull with { Pushers = [endpoints["PUSH"]], Pullers = [endpoints["PULL"]] },
                ContractSite.Requests with { Endpoints = [endpoints["REQ"]] },
                ContractSite.Workers with { Endpoints = [endpoints["REP"]] },
                ContractSite.Router with { Endpoints = [endpoints["router"]] },
                ContractSite.Dealer with { Endpoints = [endpoints["dealer"]] },
                ContractSite.Left with { Endpoints = [endpoints["left"]] },
                ContractSite.Right with { Endpoints = [endpoints["right"]] });
            if (!programsBind)
            {
                await programs["XPUB"].ConnectAsync(site.At(bridge.Publishers()));
                await programs["SUB"].ConnectAsync(site.At(bridge.Subscribers()));
                await programs["PUSH"].ConnectAsync(site.At(bridge.Pushers()));
                await programs["PULL"].ConnectAsync(site.At(bridge.Pullers()));
                await programs["REQ"].ConnectAsync(site.At(bridge.Endpoint("request")));
                await programs["REP"].ConnectAsync(site.At(bridge.Endpoint("worker")));
                foreach (string raw in (string[])["router", "dealer", "left", "right"])
                {
                    await programs[raw].ConnectAsync(site.At(bridge.Endpoint(raw)));
                }
            }

            await programs["SUB"].SubscribeAsync(Shapes.Bytes("a"));
            await site.HearsAsync(programs["SUB"], "zmq.a");
            Assert.Equal("\u0001", await programs["XPUB"].ReceiveTextAsync());
            await programs["XPUB"].SendTextAsync("a", "", "frames");
            Assert.Equal("a||frames", await programs["SUB"].ReceiveTextAsync());
            await programs["PUSH"].SendTextAsync("a", "", "frames");
            Assert.Equal("a||frames", await programs["PULL"].ReceiveTextAsync());
            await programs["REQ"].SendTextAsync("a", "", "frames");
            Assert.Equal("a||frames", await programs["REP"].ServeAsync("done"));
            Assert.Equal("done|a||frames", await programs["REQ"].ReceiveTextAsync());
            await bridge.RawPeersAsync();
            await programs["router"].SendTextAsync("", "a", "", "frames");
            Assert.Equal("a||frames", await programs["dealer"].ServeAsync("done"));
            Assert.Equal("|done|a||frames", await programs["router"].ReceiveTextAsync());
            await programs["left"].SendTextAsync("a", "", "frames");
            Assert.Equal("a||frames", await programs["right"].ReceiveTextAsync());
            await programs["right"].SendTextAsync("b");
            Assert.Equal("b", await programs["left"].ReceiveTextAsync());
            Assert.Equal(minor == 0, site.OlderGreetings >= 2 * programs.Count);
        }
    }
}
