using System.Globalization;

namespace Broker.Server.Tests.Jwts;

/// <summary>An activation with random claims, which permits an import of an export that needs one.</summary>
internal sealed class SharedActivation
{
    private readonly SharedAccount _from;
    private readonly SharedAccount _importer;
    private readonly JwtKey _signer;
    private readonly JwtKey _for;
    private readonly string _subject;
    private readonly bool _isService;
    private readonly long? _expires;
    private readonly long? _notBefore;
    private readonly long _issued;

    /// <param name="random">The source of the claims.</param>
    /// <param name="import">The import.</param>
    /// <param name="importer">The account that imports.</param>
    /// <param name="isGentle">Whether claims are left out for which nats-server refuses all users of the importer.</param>
    internal SharedActivation(Random random, SharedImport import, SharedAccount importer, bool isGentle)
    {
        (_from, _importer) = (import.From, importer);
        _signer = random.Next(8) switch { 0 => importer.Stranger, < 4 => _from.Signing, _ => _from.Key };
        _for = Wrong() ? importer.Stranger : importer.Key;
        _subject = Wrong() ? "other" : random.Next(2) == 0 ? import.Subject : import.Root + ".>";
        if (!ChainTerms.Covers(_subject, import.Subject) && _subject != "other")
        {
            _subject = import.Subject;
        }

        _isService = Wrong() ? !import.IsService : import.IsService;
        _expires = random.Next(8) switch { 0 => 1_760_000_000, < 4 => 4_000_000_000, _ => null };
        _notBefore = random.Next(8) switch { 0 => 4_000_000_000, < 4 => 1_750_000_000, _ => null };
        _issued = random.Next(5) switch { 0 => ChainAccount.Long - 10, 1 => SharedImport.Middle, _ => SharedImport.Middle + 10 };

        bool Wrong() => random.Next(12) == 0 && !isGentle;
    }

    internal string Jwt()
    {
        string times = (_expires is { } end ? string.Create(CultureInfo.InvariantCulture, $"\"exp\":{end},") : "")
            + (_notBefore is { } begin ? string.Create(CultureInfo.InvariantCulture, $"\"nbf\":{begin},") : "");
        string account = _signer == _from.Key ? "" : $"\"issuer_account\":\"{_from.Key}\",";
        return _signer.Sign(
            _for.Public,
            $"\"subject\":\"{_subject}\",\"kind\":\"{(_isService ? "service" : "stream")}\",{account}\"type\":\"activation\",\"version\":2",
            times,
            _issued);
    }

    /// <summary>The claims that matter for an import, each with whether it lets the import pass.</summary>
    internal IEnumerable<(string Claim, bool Lets)> Decide(SharedImport import, SharedExport export)
    {
        yield return ("iss of an activation", _signer == _from.Key || (_signer == _from.Signing && _from.Claims!.HasSigning));
        yield return ("sub of an activation", _for == _importer.Key);
        yield return ("subject of an activation", ChainTerms.Covers(_subject, import.Subject));
        yield return ("kind of an activation", _isService == import.IsService);
        if (_expires is not null)
        {
            yield return ("exp of an activation", _expires > ChainAccount.Now);
        }

        if (_notBefore is not null)
        {
            yield return ("nbf of an activation", _notBefore <= ChainAccount.Now);
        }

        foreach ((string claim, bool lets) in export.Revocations(_for, _issued))
        {
            yield return (claim, lets);
        }
    }
}
