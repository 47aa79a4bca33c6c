namespace Broker.Server;

/// <summary>
/// The kinds of nkeys. The value is the prefix byte, whose first five bits are the first letter of the text.
/// </summary>
internal enum KeyKind : byte
{
    /// <summary>The key of an account, which begins with A.</summary>
    Account = 0,

    /// <summary>The key of an operator, which begins with O.</summary>
    Operator = 14 << 3,

    /// <summary>The key of a user, which begins with U.</summary>
    User = 20 << 3,

    /// <summary>A key that encrypts, which begins with X.</summary>
    Curve = 23 << 3,
}
