using Mono.Cecil;

namespace Broker.Structure.Tests;

/// <summary>
/// No text of an object shows a secret: logs, debuggers and exceptions make texts of whatever they are given.
/// </summary>
public sealed class SecretTests
{
    // An address may have a password in it.
    private static readonly string[] SecretNames = ["password", "pass", "secret", "token", "seed", "signature", "credential", "privatekey", "nonce", "url"];

    // Of other types there is no text but their names.
    private static readonly string[] SecretTypes = ["System.String", "System.Uri"];

    public static TheoryData<string> Projects => Assemblies.Names;

    [Theory]
    [MemberData(nameof(Projects))]
    public void No_record_prints_a_member_that_is_called_like_a_secret(string project)
        => Assert.Empty(Assemblies.Read(project).MainModule.GetTypes().Where(PrintsItsMembers).Where(HasSecret).Select(t => t.FullName));

    // The compiler's own ToString of a record prints its public members.
    private static bool PrintsItsMembers(TypeDefinition type) => IsGenerated(type, "PrintMembers", 1) && IsGenerated(type, "ToString", 0);

    private static bool IsGenerated(TypeDefinition type, string name, int parameters)
        => type.Methods.Any(m => m.Name == name && m.Parameters.Count == parameters
            && m.CustomAttributes.Any(a => a.AttributeType.Name == "CompilerGeneratedAttribute"));

    private static bool HasSecret(TypeDefinition type)
        => type.Properties.Any(p => p.GetMethod is { IsPublic: true, IsStatic: false } && IsSecret(p.Name, p.PropertyType))
            || type.Fields.Any(f => f is { IsPublic: true, IsStatic: false } && IsSecret(f.Name, f.FieldType));

    private static bool IsSecret(string name, TypeReference type)
        => SecretTypes.Contains(type.FullName) && SecretNames.Any(n => name.EndsWith(n, StringComparison.OrdinalIgnoreCase));
}
