using System.Collections.Concurrent;

namespace Broker.Server;

/// <summary>
/// The claims of the accounts of one configuration. Their signatures are verified once, although the options are
/// checked several times. Thread-safe.
/// </summary>
internal sealed class VerifiedAccounts
{
    // Key: the text of a JWT, and the verifier of its signature.
    private readonly ConcurrentDictionary<(string Text, ISignatureVerifier Verifier), AccountClaims> _claims = new();

    /// <summary>Returns the claims that were read from this text before, or reads them.</summary>
    internal AccountClaims GetOrRead(string text, ISignatureVerifier verifier, Func<AccountClaims> read)
        => _claims.GetOrAdd((text, verifier), static (_, read) => read(), read);

    /// <summary>Takes over the claims of an earlier configuration that also has these JWTs.</summary>
    internal void Inherit(VerifiedAccounts before, IEnumerable<string> texts)
    {
        var wanted = new HashSet<string>(texts, StringComparer.Ordinal);
        foreach (((string Text, ISignatureVerifier Verifier) key, AccountClaims claims) in before._claims)
        {
            if (wanted.Contains(key.Text))
            {
                _claims.TryAdd(key, claims);
            }
        }
    }
}
