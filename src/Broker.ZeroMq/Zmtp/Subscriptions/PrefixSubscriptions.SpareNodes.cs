namespace Broker.ZeroMq;

internal sealed partial class PrefixSubscriptions
{
    /// <summary>
    /// Nodes that have left the trie and wait for their next use. A peer that subscribes to a thousand prefixes and
    /// leaves would otherwise create a thousand objects that live just long enough to be copied by the garbage
    /// collector: its pauses grow with the number of such objects. A spare node refers to nothing.
    /// </summary>
    private sealed class SpareNodes
    {
        // At most 0.6 MB.
        private const int Most = 8192;

        private Node? _first;
        private int _count;

        /// <summary>Returns a node without subscriptions, owner's data and children.</summary>
        public Node Take(byte[] key, int start, int end)
        {
            Node node;
            if (_first is null)
            {
                node = new Node();
            }
            else
            {
                node = _first;
                _first = node.LeaveList();
                _count--;
            }

            node.Begin(key, start, end);
            return node;
        }

        /// <summary>Takes back a node that is not in the trie any more.</summary>
        public void Return(Node node)
        {
            // A node that is not kept must not keep what it refers to either, if the caller still has the node.
            bool isKept = _count < Most;
            node.Clear(isKept ? _first : null);
            if (isKept)
            {
                _first = node;
                _count++;
            }
        }
    }
}
