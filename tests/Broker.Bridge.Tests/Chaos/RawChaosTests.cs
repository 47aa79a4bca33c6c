using System.Net;
using Broker.Bridge.Tests.Chaos.Support;
using Broker.Bridge.Tests.Contract.Support;
using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;

namespace Broker.Bridge.Tests.Chaos;

/// <summary>
/// DEALER and PAIR programs are killed and restarted, and links to the server stall and are cut. No message arrives
/// twice or at another DEALER, and lost messages are counted, except those that the server had for a connection that
/// was cut.
/// </summary>
public sealed class RawChaosTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Each_message_arrives_once_or_is_counted_and_no_DEALER_receives_the_replies_of_another(bool foreign)
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign, apart: true);
        await using var links = new ChaosLinks(random);
        await using Side dealers = await SideAsync("DEALER", RawSocket.Router, RawSocket.Dealer);
        await using Side pairs = await SideAsync("PAIR", RawSocket.Pair, RawSocket.Pair);
        await using var steady = new PyTalker("DEALER", dealers.Speakers, "steady");
        int lives = 0;
        PyTalker dealer = Mortal("DEALER", dealers);
        PyTalker pair = Mortal("PAIR", pairs);
        var worker = new PyAnswerer("DEALER", dealers.Answerers);
        try
        {
            for (var time = new ChaosTime(); time.GoesOn;)
            {
                switch (random.Next(8))
                {
                    case 0:
                        await dealer.DisposeAsync();
                        dealer = Mortal("DEALER", dealers);
                        break;
                    case 1:
                        await pair.DisposeAsync();
                        pair = Mortal("PAIR", pairs);
                        break;
                    case 2:
                        await worker.DisposeAsync();
                        worker = new PyAnswerer("DEALER", dealers.Answerers);
                        break;
                    case 3 or 4:
                        await links.StallAsync();
                        break;
                    case 5:
                        links.Cut();
                        break;
                    default:
                        await ChaosTime.PassAsync(random);
                        break;
                }
            }

            await dealer.DisposeAsync();
            await worker.DisposeAsync();
            await Wait.UntilAsync(() => dealers.Near.Peers == 1 && dealers.Far.Peers == 1, Describe);
            await EndAsync(steady);
            await EndAsync(pair);
            await AddUpAsync(dealers);
            await AddUpAsync(pairs);

            PyTalker.State talked = await steady.LookAsync();
            Assert.True(talked.Others == 0 && talked.Got == talked.Distinct, $"{talked}; {Describe()}");

            // A reply to the previous PAIR goes to the next one, because a PAIR has no identity.
            talked = await pair.LookAsync();
            Assert.True(talked.Got == talked.Distinct, $"{talked}; {Describe()}");

            // The only peer of its socket, which is never killed.
            PyAnswerer.State answered = await pairs.Steady.LookAsync();
            Assert.True(answered.Got == pairs.Far.ToZeroMq && answered.Answered == pairs.Far.FromZeroMq, $"{answered}; {Describe()}");
        }
        finally
        {
            await dealer.DisposeAsync();
            await pair.DisposeAsync();
            await worker.DisposeAsync();
        }

        PyTalker Mortal(string type, Side side) => new(type, side.Speakers, $"m{lives++}");
        string Describe() => $"seed {seed}: {lives} lives; {dealers}; {pairs}";

        // A connection that receives a reply now is not cut again, so the message after it is the last one.
        async Task EndAsync(PyTalker talker)
        {
            PyTalker.State state = await talker.PauseAsync();
            long end = state.Said;
            await Wait.UntilAsync(async () => (await talker.SayAsync()).Last >= end, Describe);
            end = (await talker.LookAsync()).Said;
            await Wait.UntilAsync(async () => (await talker.SayAsync()).Said > end, Describe);
            await Wait.UntilAsync(async () => (await talker.LookAsync()).Last >= end, Describe);
        }

        async Task AddUpAsync(Side side)
        {
            await Wait.UntilAsync(() => side.IsAtRest, Describe);
            PyAnswerer.State answered = await side.Steady.LookAsync();
            ClientStatistics from = side.NearClient;
            Assert.True(side.Near.FromZeroMq == side.Near.ToSubjects && side.Near.ToSubjects == from.MessagesOut, Describe());
            Assert.True(side.Far.FromSubjects >= from.MessagesOut - from.Lost - from.Unconfirmed, Describe());
            Assert.True(side.Far.FromSubjects <= from.MessagesOut - from.Lost, Describe());
            Assert.True(side.Far.FromSubjects == side.Far.ToZeroMq + side.Far.Full, Describe());
            Assert.True(answered.Got == answered.Distinct && answered.Got <= side.Far.ToZeroMq, $"{answered}; {Describe()}");
            Assert.True(side.Far.FromZeroMq == side.Far.ToSubjects && side.FarClient is { Lost: 0, Unconfirmed: 0 }, Describe());
            Assert.True(side.Far.ToSubjects == side.FarClient.MessagesOut && side.Far.ToSubjects == side.Answers, Describe());
            Assert.True(side.Near.FromSubjects <= side.Answers, Describe());
            Assert.True(side.Near.FromSubjects == side.Near.ToZeroMq + side.Near.Unroutable + side.Near.Full, Describe());
        }

        async Task<Side> SideAsync(string type, RawSocket near, RawSocket far)
        {
            string there = $"raw.{type}.there";
            string back = $"raw.{type}.back";
            var side = new Side();
            BrokerConnection client = await pipeline.ClientAsync();
            client.Subscribe(back, (in MessageView _) => side.CountAnswer());
            await client.FlushAsync(TestContext.Current.CancellationToken);

            // Talkers use a link that is cut. Answerers use a link that stays.
            await side.StartAsync(
                type,
                await pipeline.BridgeAsync($"nats://{links.Open(IPEndPoint.Parse(new Uri(pipeline.Url).Authority)).Address}", Route(near, there, back)),
                await pipeline.BridgeAsync(url: null, Route(far, back, there) with { CarryIdentities = far == RawSocket.Dealer }));
            return side;
        }
    }

    private static RawRouteOptions Route(RawSocket socket, string to, string from) => new()
    {
        Name = "raw",
        Socket = socket,
        ToSubject = to,
        FromSubject = from,
        Endpoints = [RequestSite.AnyPort],
        HeartbeatInterval = Timeout.InfiniteTimeSpan,
    };

    /// <summary>
    /// Two routes that receive each other's messages, and a program at the far route that is never killed.
    /// </summary>
    private sealed class Side : IAsyncDisposable
    {
        private ZeroMqBridge _near = null!;
        private ZeroMqBridge _far = null!;
        private long _answers;

        public PyAnswerer Steady { get; private set; } = null!;

        public string Speakers => _near.Endpoint("raw");

        public string Answerers => _far.Endpoint("raw");

        public RawRouteSnapshot Near => (RawRouteSnapshot)_near.Snapshot()["raw"]!;

        public RawRouteSnapshot Far => (RawRouteSnapshot)_far.Snapshot()["raw"]!;

        public ClientStatistics NearClient => _near.Snapshot().Client;

        public ClientStatistics FarClient => _far.Snapshot().Client;

        /// <summary>The messages that a native client receives.</summary>
        public long Answers => Interlocked.Read(ref _answers);

        /// <summary>Whether no data wait to be sent to the server.</summary>
        public bool IsAtRest => NearClient.PendingBytes == 0 && FarClient.PendingBytes == 0 && Answers == FarClient.MessagesOut;

        public async Task StartAsync(string type, ZeroMqBridge near, ZeroMqBridge far)
        {
            (_near, _far) = (near, far);
            Steady = new PyAnswerer(type, Answerers);
            await Wait.UntilAsync(() => Far.Peers == 1, "the program that answers");
        }

        public void CountAnswer() => Interlocked.Increment(ref _answers);

        public override string ToString() => $"{Near}, {NearClient}, {Far}, {FarClient}, {Answers} answers";

        public ValueTask DisposeAsync() => Steady.DisposeAsync();
    }
}
