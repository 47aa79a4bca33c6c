using System.Diagnostics.CodeAnalysis;

namespace Broker.Bridge;

/// <summary>
/// The links of ingresses at one egress. A link needs one of a limited number of places; this class decides which links
/// get a place and which lose it. Used on the egress's loop.
/// </summary>
/// <remarks>
/// A link gets a place when its ingress has returned the token that the egress has sent to it. So a program that cannot
/// receive what the egress sends cannot use up the places. Ingresses that know no tokens share half of the places.
/// </remarks>
internal sealed class EgressLinks(PipelineLimits limits, PipelineBudget budget)
{
    private readonly Dictionary<byte[], EgressLink> _links = new(new ByteStringComparer());
    private readonly LinkTokens _tokens = new();

    // The number of links whose ingress has not returned a token.
    private int _unproven;

    internal int Count => _links.Count;

    internal Dictionary<byte[], EgressLink>.ValueCollection All => _links.Values;

    internal bool TryGet(ReadOnlySpan<byte> ingress, [NotNullWhen(true)] out EgressLink? link)
        => _links.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(ingress, out link);

    /// <summary>The link of a message's ingress; null if the link has no place.</summary>
    internal EgressLink? Find(in PipelineHeader header)
    {
        if (!TryGet(header.Ingress, out EgressLink? link))
        {
            return null;
        }

        if (!link.IsProven && IsProven(header))
        {
            link.IsProven = true;
            _unproven--;
        }

        return link;
    }

    /// <summary>Whether the ingress has returned the token that the egress sent to it.</summary>
    internal bool IsProven(in PipelineHeader header)
        => !header.Token.IsEmpty && _tokens.IsOf(header.Ingress, header.Token);

    /// <summary>Writes the token of an ingress, <see cref="LinkTokens.Length"/> bytes.</summary>
    internal void WriteToken(ReadOnlySpan<byte> ingress, Span<byte> token) => _tokens.Write(ingress, token);

    /// <summary>
    /// Whether there is a place for a new link. If <paramref name="silent"/> is not null, the caller must remove that
    /// link first.
    /// </summary>
    internal bool HasPlace(bool isProven, out EgressLink? silent)
    {
        silent = null;
        bool isFree = _links.Count < limits.MostPeers && (isProven || _unproven < Math.Max(1, limits.MostPeers / 2));
        return isFree || (silent = FindSilent(isProven)) is not null;
    }

    internal void Add(EgressLink link)
    {
        _unproven += link.IsProven ? 0 : 1;
        _links.Add(link.Ingress, link);
        budget.Divide(_links.Count);
    }

    internal void Remove(EgressLink link)
    {
        _links.Remove(link.Ingress);
        budget.Divide(_links.Count);
        _unproven -= link.IsProven ? 0 : 1;
    }

    /// <summary>
    /// Counts one more tick of silence for each link, and adds the links that were silent for too long.
    /// </summary>
    internal void CountSilence(List<EgressLink> expired)
    {
        foreach (EgressLink link in _links.Values)
        {
            // A link with queued messages stays until PUSH has taken them.
            if (++link.SilentTicks > limits.RememberedTicks && link.Queue.IsEmpty)
            {
                expired.Add(link);
            }
        }
    }

    // Returns the link that has been silent for the longest time and has no queued messages. Only a proven link may
    // replace a proven link.
    private EgressLink? FindSilent(bool provenToo)
    {
        EgressLink? silent = null;
        foreach (EgressLink link in _links.Values)
        {
            if (link.SilentTicks > (silent?.SilentTicks ?? limits.MostSilentTicks) && link.Queue.IsEmpty
                && (provenToo || !link.IsProven))
            {
                silent = link;
            }
        }

        return silent;
    }
}
