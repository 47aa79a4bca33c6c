using System.Runtime.InteropServices;

namespace Broker.ZeroMq;

/// <summary>The application's decision to admit or refuse a peer. The default value refuses.</summary>
[StructLayout(LayoutKind.Auto)]
public readonly struct ZeroMqAdmission : IEquatable<ZeroMqAdmission>
{
    private readonly string? _text;

    private ZeroMqAdmission(bool isAdmitted, string text)
    {
        IsAdmitted = isAdmitted;
        _text = text;
    }

    /// <summary>Whether the peer is admitted.</summary>
    public bool IsAdmitted { get; }

    /// <summary>
    /// The application's name for the peer. Empty if the application gave no name or refused the peer.
    /// </summary>
    public string UserId => IsAdmitted ? _text ?? "" : "";

    /// <summary>Why the peer was refused, for the log. The peer learns only that it was refused, not why.</summary>
    public string Reason => IsAdmitted ? "" : _text ?? "refused";

    /// <summary>Admits the peer.</summary>
    /// <param name="userId">
    /// The application's name for the peer. The name becomes <see cref="ZeroMqPeer.UserId"/>.
    /// </param>
    public static ZeroMqAdmission Admit(string userId = "")
    {
        ArgumentNullException.ThrowIfNull(userId);
        return new ZeroMqAdmission(true, userId);
    }

    /// <summary>Refuses the peer.</summary>
    /// <param name="reason">The reason, as one line for the log.</param>
    public static ZeroMqAdmission Refuse(string reason)
    {
        ArgumentNullException.ThrowIfNull(reason);
        return new ZeroMqAdmission(false, reason);
    }

    /// <inheritdoc/>
    public bool Equals(ZeroMqAdmission other)
        => IsAdmitted == other.IsAdmitted && string.Equals(_text, other._text, StringComparison.Ordinal);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is ZeroMqAdmission other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(IsAdmitted, _text);

    /// <summary>Whether two decisions are equal.</summary>
    public static bool operator ==(ZeroMqAdmission left, ZeroMqAdmission right) => left.Equals(right);

    /// <summary>Whether two decisions differ.</summary>
    public static bool operator !=(ZeroMqAdmission left, ZeroMqAdmission right) => !left.Equals(right);
}
