using System.Text;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// Maps the subjects of published messages to other subjects. The server replaces the subject before it checks the
/// permission to publish and before it finds subscribers. So subscribers of the source subject receive nothing.
/// Immutable.
/// </summary>
/// <remarks>
/// A subject is mapped once: no mapping applies to the new subject. If several mappings match a subject, the mapping
/// without wildcards applies, or else the first of them. A mapping applies to messages that clients and targets
/// publish, and to requests and replies that reach its account by a <see cref="ServiceImport"/>.
/// </remarks>
public sealed class SubjectMapping
{
    private const int WholeWeight = 100;

    // Each destination with the sum of its own weight and the weights before it. The transform is null if the message
    // is dropped.
    private readonly (int Limit, SubjectTransform? Transform)[] _choices;

    /// <summary>Maps a subject to one other subject.</summary>
    /// <param name="source">The subject or filter of the messages.</param>
    /// <param name="destination">The new subject; see <see cref="MappingDestination.Subject"/>.</param>
    /// <exception cref="ArgumentException">The subjects are not valid; the message names the reason.</exception>
    public SubjectMapping(string source, string destination)
        : this(source, [new MappingDestination(destination)])
    {
    }

    /// <summary>Maps a subject to several other subjects. One of them is chosen for each message at random.</summary>
    /// <param name="source">The subject or filter of the messages.</param>
    /// <param name="destinations">
    /// The new subjects and their weights. The sum of the weights must not exceed 100. If the sum is less than 100, the
    /// remaining messages keep their subject. But if the source itself is one of the destinations, the remaining
    /// messages are dropped.
    /// </param>
    /// <exception cref="ArgumentException">
    /// The subjects or weights are not valid; the message names the reason.
    /// </exception>
    public SubjectMapping(string source, IReadOnlyList<MappingDestination> destinations)
    {
        ArgumentException.ThrowIfNullOrEmpty(source);
        ArgumentNullException.ThrowIfNull(destinations);
        Source = source;
        Destinations = [.. destinations];
        Filter = Encoding.UTF8.GetBytes(source);
        if (!Subject.IsValidFilter(Filter) || ReservedSubjects.ContainsReply(Filter))
        {
            throw new ArgumentException($"'{source}' cannot be mapped: it is not a valid subject.");
        }

        _choices = [.. Choices()];
    }

    /// <summary>The subject or filter of the messages.</summary>
    public string Source { get; }

    /// <summary>The new subjects, with their weights.</summary>
    public IReadOnlyList<MappingDestination> Destinations { get; }

    /// <summary>The bytes of <see cref="Source"/>.</summary>
    internal byte[] Filter { get; }

    /// <summary>Returns the source and the destinations.</summary>
    public override string ToString()
        => $"{Source} to {string.Join(", ", Destinations.Select(static d => d.Weight == WholeWeight ? d.Subject : $"{d.Subject} ({d.Weight} %)"))}";

    /// <summary>
    /// Returns the subjects that a published subject can get. Their weights are percentages of the messages. The server
    /// drops the messages that are missing in the sum. The list is empty if the source does not match the subject.
    /// </summary>
    /// <param name="subject">The published subject, without wildcards.</param>
    public IReadOnlyList<MappingDestination> Map(string subject)
    {
        ArgumentNullException.ThrowIfNull(subject);
        byte[] published = Encoding.UTF8.GetBytes(subject);
        var destinations = new List<MappingDestination>();
        if (!Subject.IsValidLiteral(published) || !Subject.Matches(Filter, published))
        {
            return destinations;
        }

        var mapped = new SubjectBuffer();
        int before = 0;
        foreach ((int limit, SubjectTransform? transform) in _choices)
        {
            mapped.Clear();
            transform?.Write(published, mapped);
            if (limit > before && transform is not null && Subject.HasNoEmptyToken(mapped.Written))
            {
                destinations.Add(new MappingDestination(Encoding.UTF8.GetString(mapped.Written), limit - before));
            }

            before = limit;
        }

        return destinations;
    }

    /// <summary>
    /// Writes the new subject of a message. Returns false if the message is dropped: because of the weights, or because
    /// the new subject is not valid.
    /// </summary>
    /// <param name="subject">The published subject, which the source matches.</param>
    /// <param name="mapped">An empty buffer.</param>
    internal bool TryMap(ReadOnlySpan<byte> subject, SubjectBuffer mapped)
    {
        int at = 0;
        if (_choices.Length > 1)
        {
            int chosen = Random.Shared.Next(WholeWeight);
            while (chosen >= _choices[at].Limit)
            {
                at++;
            }
        }

        if (_choices[at].Transform is not { } transform)
        {
            return false;
        }

        transform.Write(subject, mapped);
        return Subject.HasNoEmptyToken(mapped.Written);
    }

    private IEnumerable<(int Limit, SubjectTransform? Transform)> Choices()
    {
        var known = new HashSet<string>(StringComparer.Ordinal);
        int sum = 0;
        foreach ((string subject, int weight) in Destinations)
        {
            if (weight is < 0 or > WholeWeight)
            {
                throw Wrong($"the weight {weight} of '{subject}' is not from 0 to {WholeWeight}");
            }

            if (!known.Add(subject ?? ""))
            {
                throw Wrong($"'{subject}' is a destination twice");
            }

            sum += weight;
            if (sum > WholeWeight)
            {
                throw Wrong($"the weights are more than {WholeWeight} in sum");
            }

            var transform = SubjectTransform.Create(Source, subject ?? "", out string? problem);
            yield return (sum, transform ?? throw Wrong(problem!));
        }

        if (sum < WholeWeight)
        {
            yield return (WholeWeight, known.Contains(Source) ? null : SubjectTransform.Identity);
        }
    }

    private ArgumentException Wrong(string problem) => new($"'{Source}' cannot be mapped: {problem}.");
}
