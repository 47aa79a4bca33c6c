using System.Text;
using Mono.Cecil;
using Mono.Cecil.Rocks;

namespace Broker.Structure.Tests;

/// <summary>
/// Lists the members of an assembly that other programs can use, one line each. The order does not depend on the order
/// in the sources.
/// </summary>
internal static class PublicApi
{
    internal static string[] TypesOf(AssemblyDefinition assembly)
        => [.. Visible(assembly).Select(Name).Order(StringComparer.Ordinal)];

    internal static string ListingOf(AssemblyDefinition assembly)
    {
        var listing = new StringBuilder();
        foreach (TypeDefinition type in Visible(assembly).OrderBy(Name, StringComparer.Ordinal))
        {
            listing.Append(Kind(type)).Append(' ').Append(Name(type)).Append(Bases(type)).Append('\n');
            foreach (string member in Members(type).Order(StringComparer.Ordinal))
            {
                listing.Append("    ").Append(member).Append('\n');
            }
        }

        return listing.ToString();
    }

    private static IEnumerable<TypeDefinition> Visible(AssemblyDefinition assembly)
        => assembly.MainModule.GetAllTypes().Where(IsVisible);

    private static bool IsVisible(TypeDefinition type)
        => type.IsPublic || ((type.IsNestedPublic || type.IsNestedFamily || type.IsNestedFamilyOrAssembly) && IsVisible(type.DeclaringType));

    private static IEnumerable<string> Members(TypeDefinition type)
    {
        if (type.IsEnum)
        {
            return type.Fields.Where(f => f.HasConstant).Select(f => $"{f.Name} = {f.Constant}");
        }

        if (type.BaseType?.FullName == "System.MulticastDelegate")
        {
            return type.Methods.Where(m => m.Name == "Invoke").Select(m => $"{Name(m.ReturnType)} Invoke({Parameters(m)})");
        }

        return
        [
            .. type.Fields.Where(f => f.IsPublic || f.IsFamily || f.IsFamilyOrAssembly).Select(f => $"field {Name(f.FieldType)} {f.Name}"),
            .. type.Properties.Where(p => IsVisible(p.GetMethod) || IsVisible(p.SetMethod)).Select(Property),
            .. type.Events.Where(e => IsVisible(e.AddMethod)).Select(e => $"event {Name(e.EventType)} {e.Name}"),
            .. type.Methods.Where(m => IsVisible(m) && !(m.IsSpecialName && (m.IsGetter || m.IsSetter || m.IsAddOn || m.IsRemoveOn))).Select(Method),
        ];
    }

    private static bool IsVisible(MethodDefinition? method)
        => method is not null && (method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly) && !method.Name.Contains('<', StringComparison.Ordinal);

    private static string Property(PropertyDefinition property)
        => $"{Modifiers(property.GetMethod ?? property.SetMethod)}{Name(property.PropertyType)} {property.Name} {{"
            + (IsVisible(property.GetMethod) ? " get;" : "")
            + (IsVisible(property.SetMethod) ? IsInit(property.SetMethod) ? " init;" : " set;" : "") + " }";

    private static bool IsInit(MethodDefinition setter)
        => setter.ReturnType is RequiredModifierType { ModifierType.Name: "IsExternalInit" };

    private static string Method(MethodDefinition method)
    {
        string generics = method.HasGenericParameters ? $"<{string.Join(", ", method.GenericParameters.Select(p => p.Name))}>" : "";
        string name = method.IsConstructor ? $"new {method.DeclaringType.Name}" : $"{Name(method.ReturnType)} {method.Name}";
        return $"{Modifiers(method)}{name}{generics}({Parameters(method)})";
    }

    private static string Modifiers(MethodDefinition method)
        => (method.IsPublic ? "" : "protected ")
            + (method.IsStatic ? "static " : "")
            + (method.DeclaringType.IsInterface ? "" : method.IsAbstract ? "abstract " : method.IsVirtual && !method.IsFinal ? method.IsNewSlot ? "virtual " : "override " : "");

    private static string Parameters(MethodDefinition method)
        => string.Join(", ", method.Parameters.Select(p => Name(p.ParameterType) + " " + p.Name + (p.HasConstant ? $" = {p.Constant ?? "null"}" : "")));

    private static string Kind(TypeDefinition type)
        => type.IsEnum ? "enum"
            : type.IsInterface ? "interface"
            : type.IsValueType ? "struct"
            : type.BaseType?.FullName == "System.MulticastDelegate" ? "delegate"
            : type.IsAbstract && type.IsSealed ? "static class"
            : type.IsAbstract ? "abstract class"
            : type.IsSealed ? "sealed class"
            : "class";

    private static string Bases(TypeDefinition type)
    {
        IEnumerable<TypeReference> bases = type.IsEnum || type.IsValueType || type.BaseType is null or { Namespace: "System" }
            ? []
            : [type.BaseType];
        IEnumerable<TypeReference> interfaces = type.IsEnum ? [] : type.Interfaces.Select(i => i.InterfaceType).Where(i => i is not TypeDefinition own || IsVisible(own));
        string[] all = [.. bases.Concat(interfaces).Select(Name).Order(StringComparer.Ordinal)];
        return all.Length == 0 ? "" : " : " + string.Join(", ", all);
    }

    private static string Name(TypeReference type) => type switch
    {
        GenericInstanceType generic => Name(generic.ElementType).Split('<')[0] + "<" + string.Join(", ", generic.GenericArguments.Select(Name)) + ">",
        ByReferenceType reference => "ref " + Name(reference.ElementType),
        RequiredModifierType required => Name(required.ElementType),
        ArrayType array => Name(array.ElementType) + "[]",
        GenericParameter parameter => parameter.Name,
        TypeSpecification specification => Name(specification.ElementType),
        _ => NameOf(type),
    };

    private static string NameOf(TypeReference type)
    {
        string own = type.Name.Split('`')[0];
        if (type.HasGenericParameters)
        {
            own += "<" + string.Join(", ", type.GenericParameters.Select(p => p.Name)) + ">";
        }

        return type.DeclaringType is { } outer ? NameOf(outer) + "." + own
            : type.Namespace.StartsWith("Broker", StringComparison.Ordinal) ? type.Namespace + "." + own
            : own;
    }
}
