namespace Broker.ZeroMq;

internal sealed partial class PrefixSubscriptions
{
    /// <summary>
    /// The place of a prefix in the set, with the owner's data. It is valid until the prefix leaves the set.
    /// </summary>
    public readonly struct Place
    {
        private readonly Node? _node;

        internal Place(object? node) => _node = (Node?)node;

        /// <summary>Whether the prefix is in the set.</summary>
        public bool Exists => _node is not null;

        /// <summary>The owner's data for the prefix. It is dropped when the prefix leaves the set.</summary>
        public object? Value
        {
            get => _node!.Value;
            set => _node!.Value = value;
        }
    }

    /// <summary>Enumerates the owner's data of the prefixes that match a topic. See <see cref="Match"/>.</summary>
    public ref struct Matching
    {
        private Node? _next;
        private ReadOnlySpan<byte> _topic;

        internal Matching(object root, ReadOnlySpan<byte> topic)
        {
            _next = (Node)root;
            _topic = topic;
        }

        /// <summary>Returns the data of the next longer prefix. Returns false at the end.</summary>
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
