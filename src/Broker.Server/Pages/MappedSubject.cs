namespace Broker.Server;

/// <summary>
/// A destination of a mapping in <see cref="AccountDetail"/>. As in nats-server, destinations are in the order of their
/// weights, and the shown weight is the sum up to this destination.
/// </summary>
internal sealed record MappedSubject(string Subject, int Weight)
{
    private const int WholeWeight = 100;

    internal static IReadOnlyList<MappedSubject> From(SubjectMapping mapping)
    {
        int sum = 0;
        List<MappedSubject> destinations = [.. mapping.Destinations.OrderBy(static d => d.Weight).Select(d => new MappedSubject(d.Subject, sum += d.Weight))];
        // The other messages keep their subject, unless the source is a destination.
        if (sum < WholeWeight && !destinations.Exists(d => string.Equals(d.Subject, mapping.Source, StringComparison.Ordinal)))
        {
            destinations.Add(new MappedSubject(mapping.Source, WholeWeight));
        }

        return destinations;
    }
}
