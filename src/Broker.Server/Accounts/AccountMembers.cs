namespace Broker.Server;

/// <summary>
/// The clients of an account, by loop. An update of the account finds its clients here, without a visit of all clients
/// of the server. Each set belongs to one loop.
/// </summary>
internal sealed class AccountMembers(int loops)
{
    private readonly HashSet<IAccountMember>?[] _members = new HashSet<IAccountMember>?[loops];

    /// <summary>Adds a client. Called on its loop.</summary>
    internal void Add(int loop, IAccountMember member) => (_members[loop] ??= []).Add(member);

    /// <summary>Removes a client. Called on its loop.</summary>
    internal void Remove(int loop, IAccountMember member)
    {
        if (_members[loop] is { } members && members.Remove(member) && members.Count == 0)
        {
            _members[loop] = null;
        }
    }

    /// <summary>Copies the clients of a loop. Called on this loop.</summary>
    internal IAccountMember[] Of(int loop) => _members[loop] is { } members ? [.. members] : [];
}
