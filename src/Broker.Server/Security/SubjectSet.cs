using Broker.Protocol.Subjects;
using Broker.Server.Collections;

namespace Broker.Server.Security;

/// <summary>The entries of an allow or deny list by their tokens. Immutable once it is made.</summary>
internal sealed class SubjectSet
{
    private readonly Node _root = new();

    /// <summary>Makes a set of entries, each <c>"filter"</c> or <c>"filter queue"</c>.</summary>
    /// <exception cref="ArgumentException">One is neither.</exception>
    internal SubjectSet(IEnumerable<string> entries, bool queues)
    {
        var comparer = new ByteKeyComparer(0);
        foreach (string entry in entries)
        {
            string[] words = (entry ?? "").Split(' ', '\t');
            byte[] filter = System.Text.Encoding.UTF8.GetBytes(words[0]);
            if (words.Length > (queues ? 2 : 1) || !Subject.IsValidFilter(filter) || words[^1].Length == 0)
            {
                throw new ArgumentException($"'{entry}' is no subject{(queues ? " and no subject with a queue" : "")}.");
            }

            Add(filter, words.Length == 2 ? System.Text.Encoding.UTF8.GetBytes(words[1]) : null, comparer);
        }
    }

    /// <summary>What the entries say of a literal subject and a queue: the ones that match.</summary>
    internal Matches Match(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue)
    {
        var found = default(Matches);
        if (Subject.HasNoEmptyToken(subject))
        {
            Visit(_root, subject, 0, queue, literal: true, ref found);
        }

        return found;
    }

    /// <summary>
    /// What they say of a filter: the ones that match whatever it matches. A <c>&gt;</c> before its end is a token like others, as in
    /// nats-server: that this is no filter is said to who may have it.
    /// </summary>
    internal Matches Cover(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue)
    {
        var found = default(Matches);
        if (Subject.HasNoEmptyToken(filter))
        {
            Visit(_root, filter, 0, queue, literal: false, ref found);
        }

        return found;
    }

    // As deep as the longest entry, which is the operator's, however long the client's subject is.
    private static void Visit(Node node, ReadOnlySpan<byte> subject, int position, ReadOnlySpan<byte> queue, bool literal, ref Matches found)
    {
        if (position > subject.Length)
        {
            node.Exact.Join(queue, ref found);
            return;
        }

        node.Tail.Join(queue, ref found);
        ReadOnlySpan<byte> rest = subject[position..];
        int end = rest.IndexOf(Subject.Separator);
        ReadOnlySpan<byte> token = end < 0 ? rest : rest[..end];
        if (!literal && end < 0 && token is [Subject.AnyTail])
        {
            return;
        }

        int next = position + token.Length + 1;
        if (node.Any is not null)
        {
            Visit(node.Any, subject, next, queue, literal, ref found);
        }

        if (node.Children is { } children && (literal || token is not [Subject.AnyToken])
            && children.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(token, out Node? child))
        {
            Visit(child, subject, next, queue, literal, ref found);
        }
    }

    private void Add(ReadOnlySpan<byte> filter, byte[]? queue, ByteKeyComparer comparer)
    {
        Node node = _root;
        foreach (ReadOnlySpan<byte> token in new TokenEnumerator(filter))
        {
            if (token is [Subject.AnyTail])
            {
                node.Tail.Add(queue);
                return;
            }

            if (token is [Subject.AnyToken])
            {
                node = node.Any ??= new Node();
            }
            else
            {
                node.Children ??= new Dictionary<byte[], Node>(comparer);
                if (!node.Children.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(token, out Node? child))
                {
                    node.Children.Add(token.ToArray(), child = new Node());
                }

                node = child;
            }
        }

        node.Exact.Add(queue);
    }

    /// <summary>What was found.</summary>
    internal struct Matches
    {
        /// <summary>An entry without a queue.</summary>
        internal bool Plain;

        /// <summary>An entry with any queue.</summary>
        internal bool NamesQueues;

        /// <summary>An entry with the queue that was asked for.</summary>
        internal bool NamesThisQueue;
    }

    private sealed class Node
    {
        internal Ends Exact;
        internal Ends Tail;

        internal Dictionary<byte[], Node>? Children { get; set; }

        internal Node? Any { get; set; }
    }

    private struct Ends
    {
        private bool _plain;
        private List<byte[]>? _queues;

        internal void Add(byte[]? queue)
        {
            if (queue is null)
            {
                _plain = true;
            }
            else
            {
                (_queues ??= []).Add(queue);
            }
        }

        internal readonly void Join(ReadOnlySpan<byte> queue, ref Matches found)
        {
            found.Plain |= _plain;
            if (_queues is null)
            {
                return;
            }

            found.NamesQueues = true;
            foreach (byte[] name in _queues)
            {
                // A queue's name may have the look of a filter, and is then also itself.
                found.NamesThisQueue |= !queue.IsEmpty && (queue.SequenceEqual(name) || Subject.Matches(name, queue));
            }
        }
    }
}
