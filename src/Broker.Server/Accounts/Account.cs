using System.Collections.Concurrent;
using System.Text;
using System.Text.Json;
using Broker.Server.Routing;

namespace Broker.Server.Accounts;

/// <summary>One space of subjects: its router, what leads into it from others, and what leads out of it. Thread-safe.</summary>
internal sealed class Account
{
    private readonly Lock _gate = new();

    // What imports add to the subscriptions of clients here.
    private readonly Dictionary<Subscription, Shadow[]> _shadows = [];
    private readonly ConcurrentDictionary<Account, Subscription> _answeredBy = new();
    private volatile StreamSource[] _streams = [];
    private List<Subscription> _services = [];
    private int _connections;
    private long _totalConnections;

    internal Account(string name, Action<Account> awaitsReplies)
    {
        Name = name;
        JsonName = Encoding.UTF8.GetBytes(JsonEncodedText.Encode(name).ToString());
        Router = new Router { JsonName = JsonName };
        AwaitsReplies = awaitsReplies;
    }

    internal string Name { get; }

    /// <summary>The name between the quotes of a JSON string.</summary>
    internal byte[] JsonName { get; }

    internal Router Router { get; }

    /// <summary>The requests of its clients to other accounts.</summary>
    internal PendingReplies Replies { get; } = new();

    /// <summary>Called when a request has been added to <see cref="Replies"/>.</summary>
    internal Action<Account> AwaitsReplies { get; }

    internal int Connections => Volatile.Read(ref _connections);

    internal long TotalConnections => Interlocked.Read(ref _totalConnections);

    /// <summary>What it exports and imports, for monitoring.</summary>
    internal AccountLinks Links { get; set; } = AccountLinks.None;

    internal bool IsSystem { get; set; }

    /// <summary>When it was set up or changed last; UTC.</summary>
    internal DateTime Updated { get; set; }

    internal void Enter()
    {
        Interlocked.Increment(ref _connections);
        Interlocked.Increment(ref _totalConnections);
    }

    internal void Leave() => Interlocked.Decrement(ref _connections);

    /// <summary>Whether subscriptions here lead, or have led, into other accounts.</summary>
    internal bool ImportsStreams
    {
        get
        {
            lock (_gate)
            {
                return _streams.Length != 0 || _shadows.Count != 0;
            }
        }
    }

    /// <summary>Publishes that begin after the return reach the subscription, those in accounts that are imported from among them.</summary>
    internal void Add(Subscription subscription, ref long work)
    {
        Router.Add(subscription, ref work);
        if (_streams.Length != 0)
        {
            ApplyImports(subscription);
        }
    }

    /// <summary>Removes a subscription, wherever it has come to stand. False when that has been done already.</summary>
    internal bool Remove(Subscription subscription)
    {
        long work = 0;
        return Remove(subscription, ref work);
    }

    /// <inheritdoc cref="Remove(Subscription)"/>
    /// <param name="subscription">The subscription.</param>
    /// <param name="work">Is increased by how many places the router has looked at.</param>
    internal bool Remove(Subscription subscription, ref long work)
    {
        if (!Router.Remove(subscription, ref work))
        {
            return false;
        }

        // It is closed now: who looks at it from here on under the lock adds nothing for it.
        lock (_gate)
        {
            if (_shadows.Remove(subscription, out Shadow[]? shadows))
            {
                Remove(shadows);
            }
        }

        return true;
    }

    /// <summary>What the subscription's client may receive has changed.</summary>
    internal void Refresh(Subscription subscription)
    {
        Router.Refresh(subscription);
        lock (_gate)
        {
            foreach (Shadow shadow in _shadows.GetValueOrDefault(subscription, []))
            {
                shadow.Exporter.Router.Refresh(shadow.Subscription);
            }
        }
    }

    /// <summary>Puts the subscription where the present stream imports lead it, and nowhere else.</summary>
    internal void ApplyImports(Subscription subscription)
    {
        lock (_gate)
        {
            if (subscription.IsClosed)
            {
                return;
            }

            if (_shadows.Remove(subscription, out Shadow[]? before))
            {
                Remove(before);
            }

            var shadows = new List<Shadow>();
            foreach (StreamSource source in _streams)
            {
                if (source.Link.Mapping.FilterToRemote(subscription.Filter) is { } filter)
                {
                    var shadow = new StreamImportSubscription(subscription, source.Link.Mapping, filter);
                    source.Exporter.Router.Add(shadow);
                    shadows.Add(new Shadow(source.Exporter, shadow));
                }
            }

            if (shadows.Count != 0)
            {
                _shadows.Add(subscription, [.. shadows]);
            }
        }
    }

    /// <summary>Replaces the imports. Subscriptions that are there go by the new ones once these are applied to them by <see cref="ApplyImports"/>.</summary>
    internal void Import(IEnumerable<ImportLink> links, Func<string, Account> find)
    {
        ImportLink[] all = [.. links];
        _streams = [.. all.Where(l => !l.IsService).Select(l => new StreamSource(l, find(l.Import.Account)))];
        List<Subscription> before = _services;
        _services = [];
        // First the new ones, or a request might find nobody between the two.
        foreach (ImportLink link in all.Where(l => l.IsService))
        {
            var target = new ServiceImportTarget(this, find(link.Import.Account), link);
            AnswerFrom(target.Exporter);
            Subscription service = target.Subscribe();
            _services.Add(service);
            Router.Add(service);
        }

        foreach (Subscription service in before)
        {
            Router.Remove(service);
        }
    }

    /// <summary>Lets answers come from an account to requests of this one.</summary>
    internal void AnswerFrom(Account exporter)
    {
        if (_answeredBy.ContainsKey(exporter))
        {
            return;
        }

        Subscription subscription = new ReplyTarget(this, exporter).Subscribe();
        if (_answeredBy.TryAdd(exporter, subscription))
        {
            exporter.Router.Add(subscription);
        }
    }

    /// <summary>It is gone: nothing more comes to it from others.</summary>
    internal void Detach()
    {
        foreach (Account exporter in _answeredBy.Keys)
        {
            Forget(exporter);
        }
    }

    /// <summary>Lets no answers come from an account any more.</summary>
    internal void Forget(Account exporter)
    {
        if (_answeredBy.TryRemove(exporter, out Subscription? subscription))
        {
            exporter.Router.Remove(subscription);
        }
    }

    private static void Remove(Shadow[] shadows)
    {
        foreach (Shadow shadow in shadows)
        {
            shadow.Exporter.Router.Remove(shadow.Subscription);
        }
    }

    private readonly record struct Shadow(Account Exporter, ShadowSubscription Subscription);

    private sealed record StreamSource(ImportLink Link, Account Exporter);
}
