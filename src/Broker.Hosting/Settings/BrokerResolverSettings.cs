using Broker.Server;

namespace Broker.Hosting;

/// <summary>
/// The place of the JWTs of accounts: the section <c>Broker:Operator:Resolver</c>. Settings without a value use the
/// defaults of <see cref="DirectoryResolver"/> and <see cref="UrlResolver"/>.
/// </summary>
public sealed class BrokerResolverSettings
{
    private const string Section = "Operator:Resolver";

    /// <summary>The type. Default: <see cref="ResolverType.Memory"/>.</summary>
    public ResolverType Type { get; set; }

    /// <summary>
    /// The directory of <see cref="ResolverType.Full"/> and <see cref="ResolverType.Cache"/>. A relative path begins in
    /// the host's content root.
    /// </summary>
    public string? Directory { get; set; }

    /// <summary>
    /// The address of <see cref="ResolverType.Url"/>, which the public key of an account is appended to.
    /// </summary>
    public string? Url { get; set; }

    /// <summary>See <see cref="DirectoryResolver.Deletion"/>.</summary>
    public AccountDeletion? Deletion { get; set; }

    /// <summary>See <see cref="DirectoryResolver.Limit"/>.</summary>
    public int? Limit { get; set; }

    /// <summary>See <see cref="DirectoryResolver.Lifetime"/>.</summary>
    public TimeSpan? Lifetime { get; set; }

    /// <summary>See <see cref="DirectoryResolver.Interval"/>.</summary>
    public TimeSpan? Interval { get; set; }

    /// <summary>See <see cref="AccountResolver.Timeout"/>.</summary>
    public TimeSpan? Timeout { get; set; }

    /// <summary>See <see cref="UrlResolver.Tls"/>.</summary>
    public BrokerResolverTlsSettings? Tls { get; set; }

    internal AccountResolver? ToResolver(Func<string?, string?> resolve)
    {
        bool isDirectory = Type is ResolverType.Full or ResolverType.Cache;
        RejectUnless(isDirectory, (nameof(Directory), Directory), (nameof(Deletion), Deletion), (nameof(Limit), Limit));
        RejectUnless(Type is ResolverType.Full, (nameof(Interval), Interval));
        RejectUnless(Type is ResolverType.Cache, (nameof(Lifetime), Lifetime));
        RejectUnless(Type is ResolverType.Url, (nameof(Url), Url), (nameof(Tls), Tls));
        RejectUnless(Type is not ResolverType.Memory, (nameof(Timeout), Timeout));
        return Type switch
        {
            ResolverType.Memory => null,
            ResolverType.Url => ToUrlResolver(resolve),
            _ => ToDirectoryResolver(resolve),
        };
    }

    private DirectoryResolver ToDirectoryResolver(Func<string?, string?> resolve)
    {
        var defaults = new DirectoryResolver(".");
        return new DirectoryResolver(resolve(Required(nameof(Directory), Directory))!)
        {
            IsCache = Type is ResolverType.Cache,
            Deletion = Deletion ?? defaults.Deletion,
            Limit = Limit,
            Lifetime = Lifetime,
            Interval = Interval ?? defaults.Interval,
            Timeout = Timeout ?? defaults.Timeout,
        };
    }

    private UrlResolver ToUrlResolver(Func<string?, string?> resolve)
    {
        string text = Required(nameof(Url), Url);
        Uri url = Uri.TryCreate(text, UriKind.Absolute, out Uri? read) ? read
            : throw new ArgumentException($"{Section}:{nameof(Url)}: \"{text}\" is not an address such as \"https://host/accounts/\".");
        var defaults = new UrlResolver(url);
        return new UrlResolver(url) { Tls = Tls?.ToOptions(resolve), Timeout = Timeout ?? defaults.Timeout };
    }

    private string Required(string key, string? value)
        => string.IsNullOrEmpty(value) ? throw new ArgumentException($"{Section}:{key}: it is missing, and {nameof(Type)} {Type} needs it.") : value;

    private void RejectUnless(bool isWanted, params (string Key, object? Value)[] settings)
    {
        if (!isWanted && Array.Find(settings, static s => s.Value is not null).Key is { } key)
        {
            throw new ArgumentException($"{Section}:{key}: a resolver with {nameof(Type)} {Type} has no such setting.");
        }
    }
}
