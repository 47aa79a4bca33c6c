namespace Broker.ZeroMq;

internal sealed partial class PrefixSubscriptions
{
    /// <summary>The position of an enumeration of the set. See <see cref="Walk"/>.</summary>
    public struct Cursor
    {
        private Node? _next;

        internal Cursor(object root) => _next = (Node)root;

        /// <summary>
        /// Moves to the next prefix, in no particular order. The span belongs to the set. Returns false at the end.
        /// </summary>
        public bool MoveNext(out ReadOnlySpan<byte> prefix)
        {
            while (_next is { } node)
            {
                _next = node.Next();
                if (node.Subscriptions != 0)
                {
                    prefix = node.Key;
                    return true;
                }
            }

            prefix = default;
            return false;
        }
    }
}
