using System.Text;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// The subjects of one <see cref="ReservedDialer"/>. They are reserved in each account in which the dialer has a
/// connection. Thread-safe.
/// </summary>
internal sealed class SubjectReservation
{
    private readonly Lock _gate = new();
    private readonly Dictionary<Account, int> _connections = [];
    private string[] _filters = [];

    /// <summary>Adds a connection in an account.</summary>
    internal void Enter(Account account)
    {
        lock (_gate)
        {
            int before = _connections.GetValueOrDefault(account);
            _connections[account] = before + 1;
            if (before == 0)
            {
                account.Reserve([], _filters);
            }
        }
    }

    /// <summary>Removes a connection in an account.</summary>
    internal void Leave(Account account)
    {
        lock (_gate)
        {
            if (--_connections[account] == 0)
            {
                _connections.Remove(account);
                account.Reserve(_filters, []);
            }
        }
    }

    /// <exception cref="ArgumentException">A filter is not valid.</exception>
    internal void SetSubjects(IReadOnlyCollection<string> filters)
    {
        foreach (string filter in filters)
        {
            if (!Subject.IsValidFilter(Encoding.UTF8.GetBytes(filter ?? "")))
            {
                throw new ArgumentException($"'{filter}' is not a valid subject or filter.", nameof(filters));
            }
        }

        lock (_gate)
        {
            string[] before = _filters;
            _filters = [.. filters];
            foreach (Account account in _connections.Keys)
            {
                account.Reserve(before, _filters);
            }
        }
    }
}
