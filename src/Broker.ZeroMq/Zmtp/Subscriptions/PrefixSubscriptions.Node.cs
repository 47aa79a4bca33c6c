namespace Broker.ZeroMq.Zmtp.Subscriptions;

internal sealed partial class PrefixSubscriptions
{
    /// <summary>
    /// A place in the trie: the root, the end of a prefix, or where prefixes part. Other nodes are joined away, so there are at most
    /// twice as many nodes as prefixes.
    /// </summary>
    private sealed class Node(byte[] key, int start, int end)
    {
        private int _start = start;
        private readonly int _end = end;
        private Node? _parent;
        private int _childCount;

        // First octets of the children's labels, searched as one vector; the children stand at the same indexes.
        private byte[] _firsts = [];
        private Node[] _children = [];

        /// <summary>
        /// A prefix that runs through this node: its own where one ends here, otherwise that of some node below. It is never one that
        /// was removed, so that the octets held are those that are counted.
        /// </summary>
        public byte[] Key { get; set; } = key;

        public int Subscriptions { get; set; }

        /// <summary>What the set's owner keeps with the prefix that ends here.</summary>
        public object? Value { get; set; }

        public ReadOnlySpan<byte> Label => Key.AsSpan(_start, _end - _start);

        public Node? Child(byte first)
        {
            int index = _firsts.AsSpan(0, _childCount).IndexOf(first);
            return index < 0 ? null : _children[index];
        }

        public void AddChild(Node child)
        {
            if (_childCount == _firsts.Length)
            {
                SetCapacity(Math.Max(_childCount * 2, 2));
            }

            _firsts[_childCount] = child.Label[0];
            _children[_childCount++] = child;
            child._parent = this;
        }

        /// <summary>Puts a node into the middle of a child's label.</summary>
        public Node SplitChild(Node child, int length)
        {
            var upper = new Node(child.Key, child._start, child._start + length) { _parent = this };
            _children[IndexOf(child)] = upper;
            child._start += length;
            upper.AddChild(child);
            return upper;
        }

        /// <summary>The last subscription that ended here is gone: removes what is not needed any more.</summary>
        public void Shed()
        {
            byte[] removed = Key;
            var kept = this;
            if (_parent is { } parent)
            {
                if (_childCount == 0)
                {
                    parent.RemoveChild(this);
                    kept = parent.JoinOnlyChild();
                }
                else
                {
                    kept = JoinOnlyChild();
                }
            }

            kept.ReplaceKey(removed);
        }

        /// <summary>The node after this one in depth-first order, children after their parent.</summary>
        public Node? Next()
        {
            if (_childCount != 0)
            {
                return _children[0];
            }

            for (var node = this; node._parent is { } parent; node = parent)
            {
                int next = parent.IndexOf(node) + 1;
                if (next < parent._childCount)
                {
                    return parent._children[next];
                }
            }

            return null;
        }

        private void RemoveChild(Node child)
        {
            int index = IndexOf(child);
            _childCount--;
            _firsts[index] = _firsts[_childCount];
            _children[index] = _children[_childCount];
            _children[_childCount] = null!;

            // Room that is never given back would let a peer hold more memory than its prefixes are worth.
            if (_childCount <= _firsts.Length / 4)
            {
                SetCapacity(_firsts.Length / 2);
            }
        }

        private void SetCapacity(int capacity)
        {
            Array.Resize(ref _firsts, capacity);
            Array.Resize(ref _children, capacity);
        }

        /// <summary>Where no prefix ends and only one goes on, the child takes this node's place. Returns the node that is in the trie.</summary>
        private Node JoinOnlyChild()
        {
            if (_parent is null || Subscriptions != 0 || _childCount != 1)
            {
                return this;
            }

            var child = _children[0];
            child._start = _start;
            child._parent = _parent;
            _parent._children[_parent.IndexOf(this)] = child;
            return child;
        }

        /// <summary>Lets this node and those above it go over from a removed key to one that is still in the set.</summary>
        private void ReplaceKey(byte[] removed)
        {
            // Bottom up: a node's first child is either beside the removed prefix or has been given another key already.
            for (var node = this; node is not null; node = node._parent)
            {
                if (ReferenceEquals(node.Key, removed))
                {
                    node.Key = node._childCount == 0 ? [] : node._children[0].Key;
                }
            }
        }

        private int IndexOf(Node child) => _firsts.AsSpan(0, _childCount).IndexOf(child.Label[0]);
    }
}
