namespace Broker.Server;

/// <summary>
/// Imports messages of another account. Subscriptions in this account receive the messages under a local subject; see
/// <see cref="AccountImport.To"/>.
/// </summary>
/// <param name="account">The name of the exporting account.</param>
/// <param name="subject">The subject or filter in the exporting account.</param>
/// <remarks>
/// As in nats-server, a third account cannot import these messages from the account that imports them here.
/// </remarks>
public sealed class StreamImport(string account, string subject) : AccountImport(account, subject)
{
    /// <summary>
    /// The tokens that are put before the subject, without a dot at the end. It has no effect if
    /// <see cref="AccountImport.To"/> is set. Null, the default: no prefix.
    /// </summary>
    public string? Prefix { get; init; }

    internal override string LocalSubject => To ?? (string.IsNullOrEmpty(Prefix) ? Subject : $"{Prefix}.{Subject}");
}
