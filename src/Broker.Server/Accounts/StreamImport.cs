namespace Broker.Server.Accounts;

/// <summary>Messages of another account: subscriptions here get them too, by the name that they have here.</summary>
/// <param name="account">The account that exports them.</param>
/// <param name="subject">The subject or filter there.</param>
/// <remarks>As in nats-server, what was imported cannot be imported again from here.</remarks>
public sealed class StreamImport(string account, string subject) : AccountImport(account, subject)
{
    /// <summary>Tokens before the subject, without a dot behind them, when <see cref="AccountImport.To"/> is null. Null, the default: none.</summary>
    public string? Prefix { get; init; }

    internal override string LocalSubject => To ?? (string.IsNullOrEmpty(Prefix) ? Subject : $"{Prefix}.{Subject}");
}
