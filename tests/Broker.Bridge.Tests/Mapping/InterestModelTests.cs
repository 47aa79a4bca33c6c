namespace Broker.Bridge.Tests.Mapping;

/// <summary>
/// Compares random sequences of subscriptions, server steps and messages with the guarantee: once per message while
/// subscribed, and never twice.
/// </summary>
public sealed class InterestModelTests
{
    private const int Peers = 3;
    private static readonly string[] Prefixes = ["", "a", "a.", "a.b", "a.b.", "a.b.c.", "a.c.", "b.", "b.a.", "a-b.", "b.a.c.d"];
    private static readonly string[] Topics = ["", "a", "a.", "a.b", "a.bc", "a.b.c", "a.b.c.d", "a.c.x", "b", "b.a", "b.a.c.d", "a-b.c", "c"];

    [Theory]
    [InlineData(0.3)]
    [InlineData(0.1)]
    [InlineData(0.6)]
    [InlineData(0.02)]
    public void Each_matching_message_reaches_an_established_peer_exactly_once(double churn)
    {
        int seed = Seed.Next();
        int established = 0, overlapped = 0;
        for (int history = 0; history < 400; history++)
        {
            var model = new Model(new Random(seed + history), churn);
            for (int step = 0; step < 400; step++)
            {
                model.Step();
            }

            model.Drain();
            model.AssertMinimal();
            model.RemoveAll();
            established += model.ExpectedDeliveries;
            overlapped += model.SuppressedCopies;
        }

        Assert.True(established > 1000, $"only {established} deliveries were certain");
        Assert.True(overlapped > 100, $"only {overlapped} copies were suppressed");
    }

    private sealed class Model(Random random, double churn)
    {
        private readonly InterestSet _set = new(new TopicCodec(Codecs.Options), 1000, 10_000);
        private readonly List<Interest>[] _peers = [[], [], []];
        private readonly List<Message> _messages = [];
        private SimulatedServer _server = new(random);
        private long _reached;

        public int ExpectedDeliveries { get; private set; }

        public int SuppressedCopies { get; private set; }

        public void Step()
        {
            if (random.NextDouble() < churn)
            {
                Churn();
                return;
            }

            switch (random.Next(8))
            {
                case 0 or 1 or 2:
                    _server.Process();
                    break;
                case 3 or 4:
                    Publish();
                    break;
                default:
                    Receive();
                    break;
            }

            if (random.Next(500) == 0)
            {
                Reset();
            }
        }

        public void Drain()
        {
            bool more = true;
            while (more)
            {
                more = _server.Process() | Receive();
            }

            Assert.Equal(_server.LastToken, _reached);
            foreach (Message message in _messages)
            {
                message.AssertComplete();
            }
        }

        public void AssertMinimal()
        {
            var codec = new TopicCodec(Codecs.Options);
            var wanted = _peers.SelectMany(static p => p).Select(i => codec.Filter(i.Prefix)).ToHashSet(StringComparer.Ordinal);
            IEnumerable<string> covering = wanted.Where(f => !wanted.Any(w => w != f && f.StartsWith(w[..^1], StringComparison.Ordinal)));
            Assert.Equal(covering.Order(StringComparer.Ordinal), _server.Filters.Order(StringComparer.Ordinal));
            Assert.Equal(_server.Subscriptions, _set.SubscriptionCount);
        }

        public void RemoveAll()
        {
            foreach (List<Interest> peer in _peers)
            {
                while (peer.Count > 0)
                {
                    Remove(peer, peer[^1]);
                }
            }

            Drain();
            Assert.Equal(0, _server.Subscriptions);
            Assert.Equal(0, _set.PrefixCount);
            Assert.Equal(0, _set.SubscriptionCount);
        }

        private void Churn()
        {
            List<Interest> peer = _peers[random.Next(Peers)];
            if (peer.Count > 0 && random.Next(2) == 0)
            {
                Remove(peer, peer[random.Next(peer.Count)]);
                return;
            }

            var interest = new Interest(Prefixes[random.Next(Prefixes.Length)]);
            Assert.Equal(InterestStatus.Accepted, _set.Add(Codecs.Latin1(interest.Prefix), ref _server));
            interest.Awaits = _server.LastToken;
            peer.Add(interest);
            Establish();
        }

        private void Remove(List<Interest> peer, Interest interest)
        {
            peer.Remove(interest);
            Assert.Equal(InterestStatus.Accepted, _set.Remove(Codecs.Latin1(interest.Prefix), ref _server));
            // The subscription that covered a new prefix may have ended. The prefix then depends on a later barrier.
            foreach (Interest? other in _peers.SelectMany(static p => p).Where(static i => !i.Established))
            {
                other.Awaits = _server.LastToken;
            }

            foreach (Message message in _messages)
            {
                message.Forget(interest);
            }

            Establish();
        }

        private void Establish()
        {
            foreach (Interest? interest in _peers.SelectMany(static p => p))
            {
                interest.Established |= interest.Awaits <= _reached;
            }
        }

        private void Publish()
        {
            string topic = Topics[random.Next(Topics.Length)];
            var message = new Message(topic);
            for (int p = 0; p < Peers; p++)
            {
                message.Expecting[p] = [.. _peers[p].Where(i => i.Established && topic.StartsWith(i.Prefix, StringComparison.Ordinal))];
                ExpectedDeliveries += message.Expecting[p].Count > 0 ? 1 : 0;
            }

            _messages.Add(message);
            _server.Publish(new TopicCodec(Codecs.Options).Encode(topic), _messages.Count - 1);
        }

        private bool Receive()
        {
            if (!_server.TryReceive(out (long Id, int Message, long Token) received))
            {
                return false;
            }

            if (received.Id == 0)
            {
                _reached = received.Token;
                _set.BarrierReached(received.Token, ref _server);
                Establish();
            }
            else if (_set.ShouldDeliver(received.Id))
            {
                Message message = _messages[received.Message];
                for (int p = 0; p < Peers; p++)
                {
                    if (_peers[p].Any(i => message.Topic.StartsWith(i.Prefix, StringComparison.Ordinal)))
                    {
                        Assert.True(++message.Delivered[p] == 1, $"'{message.Topic}' was delivered twice");
                    }
                }
            }
            else
            {
                SuppressedCopies++;
            }

            return true;
        }

        private void Reset()
        {
            // The end of the old connection settles its barriers.
            _reached = _server.LastToken;
            _server.Disconnect();
            _set.ConnectionReset(ref _server);
            foreach (Interest? interest in _peers.SelectMany(static p => p))
            {
                interest.Established = false;
                interest.Awaits = _server.LastToken;
            }

            foreach (Message message in _messages)
            {
                message.AssertCompleteOrLost();
            }

            _messages.Clear();
            Establish();
        }
    }

    private sealed class Interest(string prefix)
    {
        public string Prefix { get; } = prefix;

        public long Awaits { get; set; }

        public bool Established { get; set; }
    }

    private sealed class Message(string topic)
    {
        public string Topic { get; } = topic;

        public int[] Delivered { get; } = new int[Peers];

        public List<Interest>[] Expecting { get; } = new List<Interest>[Peers];

        // A message for a removed prefix may be delivered, but need not be.
        public void Forget(Interest interest)
        {
            foreach (List<Interest> expecting in Expecting)
            {
                expecting.Remove(interest);
            }
        }

        public void AssertComplete()
        {
            for (int p = 0; p < Peers; p++)
            {
                Assert.True(Delivered[p] == 1 || (Delivered[p] == 0 && Expecting[p].Count == 0), $"'{Topic}' was lost");
            }
        }

        public void AssertCompleteOrLost() => Assert.All(Delivered, static d => Assert.InRange(d, 0, 1));
    }
}
