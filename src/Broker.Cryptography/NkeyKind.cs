namespace Broker.Cryptography;

/// <summary>The owner of a key pair. Its public key begins with a letter of its own.</summary>
public enum NkeyKind
{
    /// <summary>An account: <c>A</c>. It signs its users.</summary>
    Account,

    /// <summary>An operator: <c>O</c>. It signs accounts.</summary>
    Operator,

    /// <summary>A user: <c>U</c>. It signs the nonces of servers.</summary>
    User,

    /// <summary>A server: <c>N</c>. It signs requests to an auth callout service.</summary>
    Server,

    /// <summary>A key that encrypts instead of signing: <c>X</c>, an X25519 key.</summary>
    Curve,
}
