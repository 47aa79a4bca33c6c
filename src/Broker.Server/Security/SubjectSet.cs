using Broker.Protocol;

namespace Broker.Server;

/// <summary>A trie of the entries of an allow list or a deny list. Immutable after construction.</summary>
internal sealed class SubjectSet
{
    private readonly Node _root = new();

    /// <summary>Creates a set of entries of the form <c>"filter"</c> or <c>"filter queue"</c>.</summary>
    /// <exception cref="ArgumentException">An entry has another form.</exception>
    internal SubjectSet(IEnumerable<string> entries, bool queues)
    {
        var comparer = new ByteKeyComparer(0);
        foreach (string entry in entries)
        {
            string[] words = (entry ?? "").Split(' ', '\t');
            byte[] filter = System.Text.Encoding.UTF8.GetBytes(words[0]);
            if (words.Length > (queues ? 2 : 1) || !Subject.IsValidFilter(filter) || words[^1].Length == 0)
            {
                throw new ArgumentException(
                    $"'{entry}' is not a valid subject or filter{(queues ? ", with or without a queue group" : "")}.");
            }

            Add(filter, words.Length == 2 ? System.Text.Encoding.UTF8.GetBytes(words[1]) : null, comparer);
        }
    }

    /// <summary>
    /// Finds the entries that match a subject without wildcards. The result also tells whether they name a queue group.
    /// </summary>
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
    /// Finds the entries that cover a filter. An entry covers a filter if it matches every subject that the filter
    /// matches. As in nats-server, a <c>&gt;</c> before the end of the filter counts as an ordinary token; the filter
    /// is validated after this check.
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

    // The recursion is at most as deep as the longest configured entry, however long the client's subject is.
    private static void Visit(
        Node node, ReadOnlySpan<byte> subject, int position, ReadOnlySpan<byte> queue, bool literal, ref Matches found)
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

    /// <summary>The kinds of entries that a lookup has found.</summary>
    internal struct Matches
    {
        /// <summary>Whether an entry without a queue group was found.</summary>
        internal bool Plain;

        /// <summary>Whether an entry with any queue group was found.</summary>
        internal bool NamesQueues;

        /// <summary>Whether an entry with the requested queue group was found.</summary>
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
                // The queue group of an entry may contain wildcards. It matches as a filter and also literally.
                found.NamesThisQueue |= !queue.IsEmpty && (queue.SequenceEqual(name) || Subject.Matches(name, queue));
            }
        }
    }
}
