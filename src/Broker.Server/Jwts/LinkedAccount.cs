namespace Broker.Server;

/// <summary>An account in use, with the imports that have an effect.</summary>
/// <param name="Claims">The claims.</param>
/// <param name="Options">The configuration that follows from the claims.</param>
/// <param name="Links">A link for each import of the claims; null for an import without effect.</param>
/// <param name="Warnings">The imports without effect, with the reasons.</param>
/// <param name="NextChange">
/// The Unix time in seconds when the account or one of its activations expires or becomes valid;
/// <see cref="long.MaxValue"/> for never.
/// </param>
internal sealed record LinkedAccount(
    AccountClaims Claims, AccountOptions Options, ImportLink?[] Links, IReadOnlyList<string> Warnings, long NextChange)
{
    /// <summary>The links that have an effect.</summary>
    internal IReadOnlyList<ImportLink> Effective => [.. Links.OfType<ImportLink>()];

    /// <summary>Creates an account whose imports are not linked yet.</summary>
    internal static LinkedAccount Of(AccountClaims claims) => new(claims, claims.ToOptions(), new ImportLink?[claims.Imports.Count], [], long.MaxValue);
}
