namespace Broker.ZeroMq;

internal sealed partial class PrefixSubscriptions
{
    /// <summary>
    /// A node of the trie: the root, the end of a prefix, or a point at which prefixes diverge. Any other node would
    /// have only one child and is merged with this child, so there are at most twice as many nodes as prefixes.
    /// </summary>
    private sealed class Node
    {
        private int _start;
        private int _end;

        // The parent; for a node that is not in the trie, the next one of its list.
        private Node? _parent;
        private int _childCount;

        // The first octets of the children's labels, searched as one vector. The children have the same indexes.
        private byte[] _firsts = [];
        private Node[] _children = [];

        /// <summary>
        /// A prefix that passes through this node: the prefix that ends here, or otherwise the prefix of a node below.
        /// It is never a removed prefix, so the memory in use matches the counted octets.
        /// </summary>
        public byte[] Key { get; set; } = [];

        public int Subscriptions { get; set; }

        /// <summary>The owner's data for the prefix that ends here.</summary>
        public object? Value { get; set; }

        public ReadOnlySpan<byte> Label => Key.AsSpan(_start, _end - _start);

        /// <summary>Prepares a node that is not in the trie and has no contents.</summary>
        public void Begin(byte[] key, int start, int end)
        {
            Key = key;
            _start = start;
            _end = end;
        }

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

        /// <summary>Inserts a node into the middle of a child's label.</summary>
        public Node SplitChild(Node child, int length, SpareNodes spare)
        {
            Node upper = spare.Take(child.Key, child._start, child._start + length);
            upper._parent = this;
            _children[IndexOf(child)] = upper;
            child._start += length;
            upper.AddChild(child);
            return upper;
        }

        /// <summary>
        /// Removes the nodes that are no longer needed, after the last subscription to this prefix was removed.
        /// </summary>
        public void RemoveUnneeded(SpareNodes spare)
        {
            byte[] removed = Key;
            Node kept = this;
            if (_parent is { } parent)
            {
                if (_childCount == 0)
                {
                    parent.RemoveChild(this);
                    spare.Return(this);
                    kept = parent.JoinOnlyChild(spare);
                }
                else
                {
                    kept = JoinOnlyChild(spare);
                }
            }

            kept.ReplaceKey(removed);
        }

        /// <summary>Returns the next node in depth-first order. A parent comes before its children.</summary>
        public Node? Next()
        {
            if (_childCount != 0)
            {
                return _children[0];
            }

            for (Node node = this; node._parent is { } parent; node = parent)
            {
                int next = parent.IndexOf(node) + 1;
                if (next < parent._childCount)
                {
                    return parent._children[next];
                }
            }

            return null;
        }

        /// <summary>Removes everything that this node refers to, and makes it the first of a list of nodes.</summary>
        public void Clear(Node? next)
        {
            Key = [];
            Value = null;
            Subscriptions = 0;
            _start = 0;
            _end = 0;
            _childCount = 0;
            _firsts = [];
            _children = [];
            _parent = next;
        }

        /// <summary>Removes this node from its list of nodes. Returns the next node of the list.</summary>
        public Node? LeaveList()
        {
            Node? next = _parent;
            _parent = null;
            return next;
        }

        private void RemoveChild(Node child)
        {
            int index = IndexOf(child);
            _childCount--;
            _firsts[index] = _firsts[_childCount];
            _children[index] = _children[_childCount];
            _children[_childCount] = null!;

            // Without this, a peer could make the arrays use more memory than its prefixes need.
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

        /// <summary>
        /// Replaces this node by its only child, if no prefix ends here. Returns the node that is then in the trie.
        /// </summary>
        private Node JoinOnlyChild(SpareNodes spare)
        {
            if (_parent is null || Subscriptions != 0 || _childCount != 1)
            {
                return this;
            }

            Node child = _children[0];
            child._start = _start;
            child._parent = _parent;
            _parent._children[_parent.IndexOf(this)] = child;
            spare.Return(this);
            return child;
        }

        /// <summary>
        /// Replaces a removed key in this node and in its ancestors by a key that is still in the set.
        /// </summary>
        private void ReplaceKey(byte[] removed)
        {
            // The loop runs upwards. A node's first child is either not on the path of the removed prefix or already
            // has another key.
            for (Node? node = this; node is not null; node = node._parent)
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
