using Broker.Client;
using Broker.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Broker.Hosting;

/// <summary>Reads the settings of a server and of a client from their configuration sections.</summary>
internal static class SettingsReader
{
    /// <summary>Reads the section of a server into its settings.</summary>
    /// <exception cref="OptionsValidationException">
    /// A key is unknown, or a value is wrong. Each message contains the path of the key.
    /// </exception>
    public static void Read(IConfigurationSection section, BrokerSettings settings)
    {
        var problems = new List<string>();
        RejectSingleValue(section, problems);
        var keys = new SettingsSection(section, problems);
        Add(settings.Listen, keys.ReadTexts(nameof(settings.Listen)));
        settings.InProcessOnly = keys.ReadFlag(nameof(settings.InProcessOnly)) ?? settings.InProcessOnly;
        settings.ServerName = keys.ReadText(nameof(settings.ServerName)) ?? settings.ServerName;
        Add(settings.ServerTags, keys.ReadTexts(nameof(settings.ServerTags)));
        settings.MaxPayload = (int?)keys.ReadSize(nameof(settings.MaxPayload), int.MaxValue) ?? settings.MaxPayload;
        settings.MaxControlLine = (int?)keys.ReadSize(nameof(settings.MaxControlLine), int.MaxValue) ?? settings.MaxControlLine;
        settings.MaxPending = keys.ReadSize(nameof(settings.MaxPending), long.MaxValue) ?? settings.MaxPending;
        settings.MaxPendingTotal = keys.ReadSize(nameof(settings.MaxPendingTotal), long.MaxValue) ?? settings.MaxPendingTotal;
        settings.SlowConsumers = keys.ReadName<SlowConsumerPolicy>(nameof(settings.SlowConsumers)) ?? settings.SlowConsumers;
        settings.StallFastPublishers = keys.ReadFlag(nameof(settings.StallFastPublishers)) ?? settings.StallFastPublishers;
        settings.MaxSubscriptions = keys.ReadInteger(nameof(settings.MaxSubscriptions)) ?? settings.MaxSubscriptions;
        settings.MaxSubscriptionTokens = keys.ReadInteger(nameof(settings.MaxSubscriptionTokens)) ?? settings.MaxSubscriptionTokens;
        settings.MaxConnections = keys.ReadInteger(nameof(settings.MaxConnections)) ?? settings.MaxConnections;
        settings.SampleSubjects = keys.ReadInteger(nameof(settings.SampleSubjects)) ?? settings.SampleSubjects;
        settings.WriteDeadline = keys.ReadDurationOrNever(nameof(settings.WriteDeadline)) ?? settings.WriteDeadline;
        settings.PingInterval = keys.ReadDuration(nameof(settings.PingInterval)) ?? settings.PingInterval;
        settings.PingMax = keys.ReadInteger(nameof(settings.PingMax)) ?? settings.PingMax;
        settings.ClientAdvertise = keys.ReadText(nameof(settings.ClientAdvertise)) ?? settings.ClientAdvertise;
        Add(settings.ConnectUrls, keys.ReadTexts(nameof(settings.ConnectUrls)));
        settings.AuthTimeout = keys.ReadDuration(nameof(settings.AuthTimeout)) ?? settings.AuthTimeout;
        settings.Token = keys.ReadText(nameof(settings.Token)) ?? settings.Token;
        settings.NoAuthUser = keys.ReadText(nameof(settings.NoAuthUser)) ?? settings.NoAuthUser;
        Add(settings.Users, keys.ReadInnerList(nameof(settings.Users), ReadUser));
        settings.Operator = keys.ReadInner(nameof(settings.Operator), ReadOperator) ?? settings.Operator;
        settings.AuthCallout = keys.ReadInner(nameof(settings.AuthCallout), ReadAuthCallout) ?? settings.AuthCallout;
        settings.Tls = keys.ReadInner(nameof(settings.Tls), ReadTls) ?? settings.Tls;
        settings.LeafNodes = keys.ReadInner(nameof(settings.LeafNodes), ReadLeafNodes) ?? settings.LeafNodes;
        settings.Streams = keys.ReadInner(nameof(settings.Streams), ReadStreams) ?? settings.Streams;
        settings.Loops = keys.ReadInteger(nameof(settings.Loops)) ?? settings.Loops;
        keys.RejectTheRest("a server");
        ThrowIfAny(problems, Options.DefaultName, typeof(BrokerSettings));
    }

    /// <summary>Reads the section of a client into its settings.</summary>
    /// <exception cref="OptionsValidationException">
    /// A key is unknown, or a value is wrong. Each message contains the path of the key.
    /// </exception>
    public static void Read(IConfigurationSection section, BrokerClientSettings settings, string name)
    {
        var problems = new List<string>();
        Read(section, settings, problems);
        ThrowIfAny(problems, name, typeof(BrokerClientSettings));
    }

    /// <summary>Reads the section of a client into its settings, and adds a problem for each wrong key.</summary>
    public static void Read(IConfigurationSection section, BrokerClientSettings settings, List<string> problems)
    {
        RejectSingleValue(section, problems);
        var keys = new SettingsSection(section, problems);
        Add(settings.Servers, keys.ReadTexts(nameof(settings.Servers)));
        settings.Name = keys.ReadText(nameof(settings.Name)) ?? settings.Name;
        settings.User = keys.ReadText(nameof(settings.User)) ?? settings.User;
        settings.Password = keys.ReadText(nameof(settings.Password)) ?? settings.Password;
        settings.Token = keys.ReadText(nameof(settings.Token)) ?? settings.Token;
        settings.FirstConnect = keys.ReadName<FirstConnect>(nameof(settings.FirstConnect)) ?? settings.FirstConnect;
        settings.ConnectTimeout = keys.ReadDurationOrNever(nameof(settings.ConnectTimeout)) ?? settings.ConnectTimeout;
        settings.RequestTimeout = keys.ReadDurationOrNever(nameof(settings.RequestTimeout)) ?? settings.RequestTimeout;
        settings.PingInterval = keys.ReadDurationOrNever(nameof(settings.PingInterval)) ?? settings.PingInterval;
        settings.ReconnectBufferSize =
            (int?)keys.ReadSize(nameof(settings.ReconnectBufferSize), int.MaxValue) ?? settings.ReconnectBufferSize;
        settings.MaxReconnectAttempts = keys.ReadInteger(nameof(settings.MaxReconnectAttempts)) ?? settings.MaxReconnectAttempts;
        settings.Tracing = keys.ReadFlag(nameof(settings.Tracing)) ?? settings.Tracing;
        settings.TlsAuthorityFile = keys.ReadText(nameof(settings.TlsAuthorityFile)) ?? settings.TlsAuthorityFile;
        settings.TlsCertificateFile = keys.ReadText(nameof(settings.TlsCertificateFile)) ?? settings.TlsCertificateFile;
        settings.TlsKeyFile = keys.ReadText(nameof(settings.TlsKeyFile)) ?? settings.TlsKeyFile;
        settings.TlsKeyPassword = keys.ReadText(nameof(settings.TlsKeyPassword)) ?? settings.TlsKeyPassword;
        keys.RejectTheRest("a client");
    }

    private static BrokerUserSettings ReadUser(SettingsSection keys)
    {
        var user = new BrokerUserSettings
        {
            Name = keys.ReadText(nameof(BrokerUserSettings.Name)),
            Password = keys.ReadText(nameof(BrokerUserSettings.Password)),
            Publish = ReadSubjects(keys, nameof(BrokerUserSettings.Publish)),
            Subscribe = ReadSubjects(keys, nameof(BrokerUserSettings.Subscribe)),
        };
        Add(user.Transports, keys.ReadNames<ClientTransport>(nameof(user.Transports)));
        return user;
    }

    // As in nats-server's configuration file, a subject or a list of subjects in place of the section sets the allowed
    // subjects.
    private static BrokerSubjectSettings? ReadSubjects(SettingsSection keys, string key)
    {
        var subjects = new BrokerSubjectSettings();
        if (keys.IsTextOrList(key))
        {
            Add(subjects.Allow, keys.ReadAllowed(key));
            return subjects;
        }

        return keys.ReadInner(key, inner =>
        {
            Add(subjects.Allow, inner.ReadAllowed(nameof(subjects.Allow)));
            Add(subjects.Deny, inner.ReadTexts(nameof(subjects.Deny)));
            return subjects;
        });
    }

    private static BrokerOperatorSettings ReadOperator(SettingsSection keys)
    {
        var settings = new BrokerOperatorSettings
        {
            SystemAccount = keys.ReadText(nameof(BrokerOperatorSettings.SystemAccount)),
            Resolver = keys.ReadInner(nameof(BrokerOperatorSettings.Resolver), static resolver => new BrokerResolverSettings
            {
                Type = resolver.ReadName<ResolverType>(nameof(BrokerResolverSettings.Type)) ?? default,
                Directory = resolver.ReadText(nameof(BrokerResolverSettings.Directory)),
                Url = resolver.ReadText(nameof(BrokerResolverSettings.Url)),
                Deletion = resolver.ReadName<AccountDeletion>(nameof(BrokerResolverSettings.Deletion)),
                Limit = resolver.ReadInteger(nameof(BrokerResolverSettings.Limit)),
                Lifetime = resolver.ReadDuration(nameof(BrokerResolverSettings.Lifetime)),
                Interval = resolver.ReadDuration(nameof(BrokerResolverSettings.Interval)),
                Timeout = resolver.ReadDuration(nameof(BrokerResolverSettings.Timeout)),
                Tls = resolver.ReadInner(nameof(BrokerResolverSettings.Tls), static tls => new BrokerResolverTlsSettings
                {
                    AuthorityFile = tls.ReadText(nameof(BrokerResolverTlsSettings.AuthorityFile)),
                    CertificateFile = tls.ReadText(nameof(BrokerResolverTlsSettings.CertificateFile)),
                    KeyFile = tls.ReadText(nameof(BrokerResolverTlsSettings.KeyFile)),
                }),
            }),
        };
        Add(settings.Operators, keys.ReadTexts(nameof(settings.Operators)));
        Add(settings.TrustedKeys, keys.ReadTexts(nameof(settings.TrustedKeys)));
        Add(settings.Accounts, keys.ReadTexts(nameof(settings.Accounts)));
        // An empty list would admit the users of all accounts.
        Add(settings.PinnedAccounts, keys.ReadAllowed(nameof(settings.PinnedAccounts)));
        return settings;
    }

    private static BrokerAuthCalloutSettings ReadAuthCallout(SettingsSection keys)
    {
        var settings = new BrokerAuthCalloutSettings
        {
            Issuer = keys.ReadText(nameof(BrokerAuthCalloutSettings.Issuer)),
            Account = keys.ReadText(nameof(BrokerAuthCalloutSettings.Account)),
            CurveKey = keys.ReadText(nameof(BrokerAuthCalloutSettings.CurveKey)),
        };
        Add(settings.Users, keys.ReadTexts(nameof(settings.Users)));
        Add(settings.AllowedAccounts, keys.ReadAllowed(nameof(settings.AllowedAccounts)));
        return settings;
    }

    private static BrokerTlsSettings ReadTls(SettingsSection keys)
    {
        BrokerTlsSettings tls = ReadTlsKeys(keys);
        Add(tls.PinnedPublicKeys, keys.ReadTexts(nameof(tls.PinnedPublicKeys)));
        return tls;
    }

    private static BrokerTlsSettings ReadTlsKeys(SettingsSection keys) => new()
    {
        CertificateFile = keys.ReadText(nameof(BrokerTlsSettings.CertificateFile)),
        KeyFile = keys.ReadText(nameof(BrokerTlsSettings.KeyFile)),
        ClientAuthorityFile = keys.ReadText(nameof(BrokerTlsSettings.ClientAuthorityFile)),
        ClientCertificates = keys.ReadName<ClientCertificateMode>(nameof(BrokerTlsSettings.ClientCertificates)) ?? default,
        AllowNonTls = keys.ReadFlag(nameof(BrokerTlsSettings.AllowNonTls)) ?? false,
        HandshakeFirst = keys.ReadFlag(nameof(BrokerTlsSettings.HandshakeFirst)) ?? false,
    };

    private static BrokerServerStreamsSettings ReadStreams(SettingsSection keys)
    {
        var streams = new BrokerServerStreamsSettings
        {
            Directory = keys.ReadText(nameof(BrokerServerStreamsSettings.Directory)),
            Domain = keys.ReadText(nameof(BrokerServerStreamsSettings.Domain)),
            MaxFile = keys.ReadSize(nameof(BrokerServerStreamsSettings.MaxFile), long.MaxValue),
            MaxMemory = keys.ReadSize(nameof(BrokerServerStreamsSettings.MaxMemory), long.MaxValue),
        };
        Add(streams.Accounts, keys.ReadTexts(nameof(streams.Accounts)));
        Add(streams.AccountLimits, keys.ReadInnerList(nameof(streams.AccountLimits), static account => new BrokerAccountStreamsSettings
        {
            Account = account.ReadText(nameof(BrokerAccountStreamsSettings.Account)),
            MaxMemory = account.ReadSize(nameof(BrokerAccountStreamsSettings.MaxMemory), long.MaxValue),
            MaxFile = account.ReadSize(nameof(BrokerAccountStreamsSettings.MaxFile), long.MaxValue),
            MaxStreams = account.ReadInteger(nameof(BrokerAccountStreamsSettings.MaxStreams)),
            MaxConsumers = account.ReadInteger(nameof(BrokerAccountStreamsSettings.MaxConsumers)),
            MaxAckPending = account.ReadInteger(nameof(BrokerAccountStreamsSettings.MaxAckPending)),
            MaxMemoryStreamBytes = account.ReadSize(nameof(BrokerAccountStreamsSettings.MaxMemoryStreamBytes), long.MaxValue),
            MaxFileStreamBytes = account.ReadSize(nameof(BrokerAccountStreamsSettings.MaxFileStreamBytes), long.MaxValue),
            RequiresMaxBytes = account.ReadFlag(nameof(BrokerAccountStreamsSettings.RequiresMaxBytes)) ?? false,
        }));
        return streams;
    }

    private static BrokerLeafSettings ReadLeafNodes(SettingsSection keys)
    {
        var leaf = new BrokerLeafSettings
        {
            ReconnectDelay = keys.ReadDuration(nameof(BrokerLeafSettings.ReconnectDelay)),
            Listen = keys.ReadText(nameof(BrokerLeafSettings.Listen)),
            Tls = keys.ReadInner(nameof(BrokerLeafSettings.Tls), ReadTls),
            Advertise = keys.ReadText(nameof(BrokerLeafSettings.Advertise)),
        };
        Add(leaf.Users, keys.ReadInnerList(nameof(leaf.Users), static user => new BrokerLeafUserSettings
        {
            Name = user.ReadText(nameof(BrokerLeafUserSettings.Name)),
            Password = user.ReadText(nameof(BrokerLeafUserSettings.Password)),
            Account = user.ReadText(nameof(BrokerLeafUserSettings.Account)),
        }));
        Add(leaf.Remotes, keys.ReadInnerList(nameof(leaf.Remotes), ReadLeafRemote));
        return leaf;
    }

    private static BrokerLeafRemoteSettings ReadLeafRemote(SettingsSection keys)
    {
        var remote = new BrokerLeafRemoteSettings
        {
            Account = keys.ReadText(nameof(BrokerLeafRemoteSettings.Account)),
            NoRandomize = keys.ReadFlag(nameof(BrokerLeafRemoteSettings.NoRandomize)) ?? false,
            IgnoreDiscoveredServers = keys.ReadFlag(nameof(BrokerLeafRemoteSettings.IgnoreDiscoveredServers)) ?? false,
            JetStreamDomain = keys.ReadText(nameof(BrokerLeafRemoteSettings.JetStreamDomain)),
            Disabled = keys.ReadFlag(nameof(BrokerLeafRemoteSettings.Disabled)) ?? false,
            DialTimeout = keys.ReadDuration(nameof(BrokerLeafRemoteSettings.DialTimeout)),
            FirstInfoTimeout = keys.ReadDuration(nameof(BrokerLeafRemoteSettings.FirstInfoTimeout)),
            MaxPending = keys.ReadSize(nameof(BrokerLeafRemoteSettings.MaxPending), long.MaxValue),
            Tls = keys.ReadInner(nameof(BrokerLeafRemoteSettings.Tls), static tls => new BrokerLeafTlsSettings
            {
                AuthorityFile = tls.ReadText(nameof(BrokerLeafTlsSettings.AuthorityFile)),
                CertificateFile = tls.ReadText(nameof(BrokerLeafTlsSettings.CertificateFile)),
                KeyFile = tls.ReadText(nameof(BrokerLeafTlsSettings.KeyFile)),
                HandshakeFirst = tls.ReadFlag(nameof(BrokerLeafTlsSettings.HandshakeFirst)) ?? false,
            }),
        };
        Add(remote.Urls, keys.ReadTexts(nameof(remote.Urls)));
        Add(remote.DenyImports, keys.ReadTexts(nameof(remote.DenyImports)));
        Add(remote.DenyExports, keys.ReadTexts(nameof(remote.DenyExports)));
        return remote;
    }

    /// <summary>Adds all values to a list of the settings.</summary>
    internal static void Add<T>(IList<T> list, IReadOnlyList<T> read)
    {
        foreach (T one in read)
        {
            list.Add(one);
        }
    }

    /// <summary>Adds a problem if the section is a single value.</summary>
    internal static void RejectSingleValue(IConfigurationSection section, List<string> problems)
    {
        if (!string.IsNullOrEmpty(section.Value))
        {
            problems.Add($"{section.Path}: a section is wanted, and this is a single value.");
        }
    }

    /// <exception cref="OptionsValidationException">There are problems.</exception>
    internal static void ThrowIfAny(List<string> problems, string name, Type type)
    {
        if (problems.Count > 0)
        {
            throw new OptionsValidationException(name, type, problems);
        }
    }
}
