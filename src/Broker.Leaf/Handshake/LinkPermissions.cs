using System.Text;
using Broker.Protocol;
using Broker.Server;

namespace Broker.Leaf;

/// <summary>
/// The permissions in the remote's second INFO and in the options, and the subjects that never pass a link. Immutable.
/// </summary>
internal sealed class LinkPermissions
{
    // Each server answers these requests of its own clients.
    private const string SystemSubjects = "$SYS.>";

    private readonly byte[][]? _allow;
    private readonly byte[][] _deny;
    private readonly byte[][]? _export;
    private readonly byte[][] _denyExport;

    /// <param name="info">The remote's INFO.</param>
    /// <param name="isSystemAccount">Whether the account of the link is the system account.</param>
    /// <param name="renamed">Filters of subjects that have another name at the remote.</param>
    /// <param name="denyImports">More subjects that must not come from the remote.</param>
    /// <param name="denyExports">More subjects that must not go to the remote.</param>
    internal LinkPermissions(HubInfo info, bool isSystemAccount, IReadOnlyList<string> renamed, IReadOnlyList<string> denyImports, IReadOnlyList<string> denyExports)
    {
        string[] system = isSystemAccount ? [] : [SystemSubjects];
        _allow = info.Import?.Allow is { } allow ? [.. allow.Select(Filter)] : null;
        _deny = [.. (info.Import?.Deny ?? []).Concat(system).Concat(denyImports).Select(Filter)];
        _export = info.Export?.Allow is { } export ? [.. export.Select(Filter)] : null;
        _denyExport = [.. (info.Export?.Deny ?? []).Select(Filter)];
        Target = new Permissions
        {
            // The remote checks its own messages, so only the subjects that never pass are checked here.
            Publish = new SubjectPermissions { Deny = [.. system, .. denyImports] },
            Subscribe = new SubjectPermissions { Allow = info.Export?.Allow is { } sent ? [.. sent, .. renamed] : null, Deny = [.. info.Export?.Deny ?? [], .. system, .. denyExports] },
        };
    }

    // The permissions of a leaf node that has joined this server. This server checks all messages itself.
    private LinkPermissions(HubInfo seen, Permissions target, bool isSystemAccount)
        : this(seen, isSystemAccount, [], [], [])
        => Target = target;

    /// <summary>Returns the permissions of a leaf node that has joined this server.</summary>
    /// <param name="user">The permissions of its user; null for all subjects.</param>
    /// <param name="isSystemAccount">Whether the account of the link is the system account.</param>
    /// <param name="deny">Subjects that the leaf node does not want.</param>
    /// <param name="both">Subjects that pass in neither direction.</param>
    /// <exception cref="ArgumentException">A denied subject is not a valid filter.</exception>
    internal static LinkPermissions ForJoined(Permissions? user, bool isSystemAccount, IReadOnlyList<string> deny, IReadOnlyList<string> both)
    {
        string[] system = isSystemAccount ? [] : [SystemSubjects];
        SubjectPermissions publish = user?.Publish ?? new SubjectPermissions();
        SubjectPermissions subscribe = user?.Subscribe ?? new SubjectPermissions();
        // This server announces what the leaf node may publish. Entries with a queue group concern subscriptions only.
        var seen = new HubInfo
        {
            Import = new HubPermission { Allow = publish.Allow?.ToArray(), Deny = [.. publish.Deny, .. both] },
            Export = new HubPermission { Allow = subscribe.Allow?.ToArray(), Deny = [.. subscribe.Deny.Where(static d => !d.Contains(' ', StringComparison.Ordinal)), .. both] },
        };
        var target = new Permissions
        {
            Publish = new SubjectPermissions { Allow = publish.Allow, Deny = [.. publish.Deny, .. system, .. both] },
            Subscribe = new SubjectPermissions { Allow = subscribe.Allow, Deny = [.. subscribe.Deny, .. system, .. deny, .. both] },
        };
        foreach (string denied in deny)
        {
            Filter(denied);
        }

        return new LinkPermissions(seen, target, isSystemAccount);
    }

    /// <summary>The permissions for the server's routing.</summary>
    internal Permissions Target { get; }

    /// <summary>
    /// Whether interest may be announced. A filter of which the remote permits only a part is announced too; the remote
    /// does the rest.
    /// </summary>
    internal bool MayAnnounce(ReadOnlySpan<byte> filter)
    {
        foreach (byte[] denied in _deny)
        {
            if (FilterSets.Covers(denied, filter))
            {
                return false;
            }
        }

        if (_allow is null)
        {
            return true;
        }

        foreach (byte[] allowed in _allow)
        {
            if (FilterSets.Overlap(allowed, filter))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Whether the other server may have interest in a filter. A filter of which only a part is permitted is accepted
    /// too; routing checks each message.
    /// </summary>
    internal bool MayAsk(ReadOnlySpan<byte> filter)
    {
        foreach (byte[] denied in _denyExport)
        {
            if (FilterSets.Covers(denied, filter))
            {
                return false;
            }
        }

        bool overlaps = _export is null;
        foreach (byte[] allowed in _export ?? [])
        {
            overlaps |= FilterSets.Overlap(allowed, filter);
        }

        return overlaps;
    }

    /// <summary>
    /// Whether the remote accepts a message with a subject. Only subjects that have another name at the remote need
    /// this check: the routing checks the others.
    /// </summary>
    internal bool MaySend(ReadOnlySpan<byte> subject)
    {
        bool isAllowed = _export is null;
        foreach (byte[] allowed in _export ?? [])
        {
            isAllowed |= FilterSets.Covers(allowed, subject);
        }

        foreach (byte[] denied in _denyExport)
        {
            isAllowed &= !FilterSets.Covers(denied, subject);
        }

        return isAllowed;
    }

    // An entry may end with a queue group, after a space. The remote checks the group.
    private static byte[] Filter(string entry)
    {
        byte[] filter = Encoding.UTF8.GetBytes(entry.Split(' ', 2)[0]);
        return Subject.IsValidFilter(filter) ? filter : throw new ArgumentException($"'{entry}' is not a valid filter.", nameof(entry));
    }
}
