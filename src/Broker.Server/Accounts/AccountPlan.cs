using System.Text;
using Broker.Protocol.Subjects;
using Broker.Server.Security;

namespace Broker.Server.Accounts;

/// <summary>The accounts as the options said at one time, checked. Immutable: an update makes another one.</summary>
internal sealed class AccountPlan
{
    private readonly Dictionary<string, AccountOptions> _accounts = new(StringComparer.Ordinal);

    /// <exception cref="ArgumentException">The options contradict each other; the text says where.</exception>
    internal AccountPlan(BrokerServerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options.Accounts);
        foreach (AccountOptions account in options.Accounts)
        {
            Add(account);
        }

        SystemAccount = options.SystemAccount ?? AccountNames.System;
        if (options.SystemAccount is not null && !IsKnown(SystemAccount))
        {
            throw new ArgumentException($"'{SystemAccount}' is to be the system account, and there is no such account.");
        }

        foreach (AccountOptions account in _accounts.Values)
        {
            foreach (AccountExport export in account.Exports)
            {
                Check(account, export);
            }
        }

        Links = [.. _accounts.Values.SelectMany(a => a.Imports.Select(i => Link(a, i)))];
        RefuseDuplicates();
        RefuseCycles();
    }

    internal string SystemAccount { get; }

    /// <summary>Every import.</summary>
    internal IReadOnlyList<ImportLink> Links { get; }

    /// <summary>Those that were set up, by name: <c>$G</c> and, perhaps, <c>$SYS</c> are not among them.</summary>
    internal IReadOnlyDictionary<string, AccountOptions> Accounts => _accounts;

    /// <summary>Whether there is such an account.</summary>
    internal bool IsKnown(string name) => name is AccountNames.Global or AccountNames.System || _accounts.ContainsKey(name);

    private void Add(AccountOptions account)
    {
        ArgumentNullException.ThrowIfNull(account);
        if (account.Name is AccountNames.Global)
        {
            throw new ArgumentException($"The account {account.Name} is the server's own and cannot be set up.");
        }

        if (account.Name.Any(c => char.IsControl(c) || char.IsWhiteSpace(c) || c is '.' or '*' or '>'))
        {
            // It becomes a token of the subjects of events.
            throw new ArgumentException("The name of an account has no white space, no dot and no wildcard.");
        }

        if (!_accounts.TryAdd(account.Name, account))
        {
            throw new ArgumentException($"There are two accounts '{account.Name}'.");
        }
    }

    private void Check(AccountOptions account, AccountExport export)
    {
        byte[] subject = Encoding.UTF8.GetBytes(export.Subject);
        if (!Subject.IsValidFilter(subject) || ReservedSubjects.ContainsReply(subject))
        {
            throw new ArgumentException($"Account '{account.Name}' exports '{export.Subject}', which is no subject.");
        }

        if (export is ServiceExport { ResponseTimeout.Ticks: <= 0 } or ServiceExport { ResponseTimeout.TotalDays: > 24 })
        {
            throw new ArgumentException($"The time for answers of '{export.Subject}' of account '{account.Name}' is out of range.");
        }

        foreach (string name in export.Accounts ?? [])
        {
            if (!IsKnown(name))
            {
                throw new ArgumentException($"Account '{account.Name}' exports '{export.Subject}' to '{name}', and there is no such account.");
            }
        }
    }

    private ImportLink Link(AccountOptions account, AccountImport import)
    {
        string what = $"Account '{account.Name}' imports '{import.Subject}' of '{import.Account}'";
        if (!IsKnown(import.Account))
        {
            throw new ArgumentException($"{what}, and there is no such account.");
        }

        if (import is StreamImport { Prefix: { } prefix } && Subject.HasWildcard(Encoding.UTF8.GetBytes(prefix)))
        {
            throw new ArgumentException($"{what} with a prefix '{prefix}' that has wildcards.");
        }

        if (SubjectMapping.Create(import.Subject, import.LocalSubject, import is ServiceImport, out string? problem) is not { } mapping)
        {
            throw new ArgumentException($"{what} as '{import.LocalSubject}': {problem}.");
        }

        if (ReservedSubjects.ContainsReply(mapping.Remote) || ReservedSubjects.ContainsReply(mapping.Local))
        {
            throw new ArgumentException($"{what}, and that is a subject of the server's own.");
        }

        bool isService = import is ServiceImport;
        IReadOnlyList<AccountExport> exports = _accounts.GetValueOrDefault(import.Account)?.Exports ?? [];
        AccountExport[] matching = [.. exports.Where(e => e is ServiceExport == isService && ImportLink.Covers(Encoding.UTF8.GetBytes(e.Subject), mapping.Remote))];
        AccountExport? export = Array.Find(matching, e => e.Accounts is null || e.Accounts.Contains(account.Name, StringComparer.Ordinal));
        string kind = isService ? "service" : "stream";
        return export is not null ? new ImportLink(account.Name, import, export, mapping)
            : throw new ArgumentException(matching.Length == 0
                ? $"{what}, which exports no such {kind}."
                : $"{what}, and that {kind} is not exported to it.");
    }

    private void RefuseDuplicates()
    {
        // One name must not stand for two services: the requestor would get two answers. Streams may be joined.
        var known = new HashSet<(string Importer, string Local, string? From, string? Remote)>();
        foreach (ImportLink link in Links)
        {
            string local = Encoding.UTF8.GetString(link.Mapping.Local);
            if (!known.Add(link.IsService ? (link.Importer, local, null, null) : (link.Importer, local, link.Import.Account, link.Import.Subject)))
            {
                throw new ArgumentException($"Account '{link.Importer}' imports '{local}' twice.");
            }
        }
    }

    // A message that follows imports visits each at most once when no path of them comes back to its beginning.
    private void RefuseCycles()
    {
        ImportLink[] links = [.. Links];
        List<int>[] before = [.. links.Select(to => Enumerable.Range(0, links.Length).Where(from => links[from].LeadsTo(to)).ToList())];
        int[] ahead = new int[links.Length];
        foreach (int from in before.SelectMany(b => b))
        {
            ahead[from]++;
        }

        var ends = new Queue<int>(Enumerable.Range(0, links.Length).Where(i => ahead[i] == 0));
        while (ends.TryDequeue(out int end))
        {
            foreach (int from in before[end])
            {
                if (--ahead[from] == 0)
                {
                    ends.Enqueue(from);
                }
            }
        }

        int looping = Array.FindIndex(ahead, count => count > 0);
        if (looping >= 0)
        {
            ImportLink one = links[looping];
            throw new ArgumentException(
                $"Account '{one.Importer}' imports '{one.Import.Subject}' of '{one.Import.Account}', and that comes back: imports form a cycle.");
        }
    }
}
