namespace Broker.ZeroMq.Zmtp.Subscriptions;

internal sealed partial class PrefixSubscriptions
{
    /// <summary>Where a prefix is in the set, with what is kept there. Good until the prefix is removed for the last time.</summary>
    public readonly struct Place
    {
        private readonly Node? _node;

        internal Place(object? node) => _node = (Node?)node;

        /// <summary>Whether there is one.</summary>
        public bool Exists => _node is not null;

        /// <summary>What the set's owner keeps with the prefix; it goes with the prefix.</summary>
        public object? Value
        {
            get => _node!.Value;
            set => _node!.Value = value;
        }
    }

    /// <summary>What is kept with the prefixes that begin a topic. See <see cref="Match"/>.</summary>
    public ref struct Matching
    {
        private Node? _next;
        private ReadOnlySpan<byte> _topic;

        internal Matching(object root, ReadOnlySpan<byte> topic)
        {
            _next = (Node)root;
            _topic = topic;
        }

        /// <summary>What is kept with the next longer one. False at the end.</summary>
        public bool MoveNext(out object? value)
        {
            while (_next is { } node)
            {
                // The root's label is empty.
                if (!_topic.StartsWith(node.Label))
                {
                    break;
                }

                _topic = _topic[node.Label.Length..];
                _next = _topic.IsEmpty ? null : node.Child(_topic[0]);
                if (node.Subscriptions != 0)
                {
                    value = node.Value;
                    return true;
                }
            }

            value = null;
            return false;
        }
    }
}
